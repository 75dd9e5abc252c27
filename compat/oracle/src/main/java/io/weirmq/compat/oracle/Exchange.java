package io.weirmq.compat.oracle;

/**
 * One request of the script and what came of it.
 *
 * @param scenario name of the scenario
 * @param label what the request is about; unique in the scenario together with api and version
 * @param api name of the API as in Kafka's schemas, or "raw" for bytes that are no request
 * @param version version of the API, −1 for raw bytes
 */
record Exchange(String scenario, String label, String api, int version, Outcome outcome) {
  String title() {
    return scenario + " / " + label + " / " + api + (version < 0 ? "" : " v" + version);
  }
}
