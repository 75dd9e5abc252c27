package io.weirmq.compat.oracle;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;

/** Which versions of which API a broker advertises. Immutable. */
final class Versions {
  private final Map<Short, ApiVersion> ranges = new TreeMap<>();

  Versions(ApiVersionsResponseData response) {
    for (ApiVersion range : response.apiKeys()) {
      ranges.put(range.apiKey(), range);
    }
  }

  boolean has(short apiKey, int version) {
    ApiVersion range = ranges.get(apiKey);
    return range != null && version >= range.minVersion() && version <= range.maxVersion();
  }

  Map<Short, ApiVersion> ranges() {
    return ranges;
  }

  /** Versions of an API that two brokers advertise and that the codec here knows, ascending. */
  static List<Integer> common(Versions one, Versions two, short apiKey) {
    ApiMessageType type = ApiMessageType.fromApiKey(apiKey);
    List<Integer> versions = new ArrayList<>();
    for (int version = type.lowestSupportedVersion();
        version <= type.highestSupportedVersion(true);
        version++) {
      if (one.has(apiKey, version) && two.has(apiKey, version)) {
        versions.add(version);
      }
    }
    return versions;
  }
}
