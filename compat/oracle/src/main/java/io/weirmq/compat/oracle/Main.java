package io.weirmq.compat.oracle;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;

/**
 * The differential oracle.
 *
 * <pre>
 * --reference HOST:PORT   a real Kafka
 * --candidate HOST:PORT   the broker that is held against it
 * --explained FILE        Markdown file with the table of explained differences (optional)
 * --only REGEX            only scenarios whose name is found by the expression
 * --dump FILE             write all that the reference answered, normalised
 * --prove COUNT           afterwards change COUNT fields in recorded answers; each must be noticed
 * --verbose               print explained differences too
 * </pre>
 *
 * <p>Ends with status 0 when nothing differs but what is explained, 1 otherwise.
 */
public final class Main {
  private final Map<String, String> options = new HashMap<>();
  private final long nowMs = System.currentTimeMillis();
  private Explanations explanations = Explanations.none();

  private Main() {}

  /** See the class. */
  public static void main(String[] args) throws Exception {
    System.exit(new Main().run(args) ? 0 : 1);
  }

  private boolean run(String[] args) throws Exception {
    for (int i = 0; i < args.length; i++) {
      boolean flag = args[i].equals("--verbose");
      options.put(args[i], flag ? "" : args[++i]);
    }
    if (options.containsKey("--explained")) {
      explanations = Explanations.read(Path.of(options.get("--explained")));
    }
    Target reference = new Target(address("--reference"));
    Target candidate = new Target(address("--candidate"));
    reference.learn();
    candidate.learn();

    List<Comparison.Result> results =
        new ArrayList<>(Comparison.ranges(reference.versions, candidate.versions));
    List<Recorded> recorded = runAll(reference, candidate);
    Comparison comparison = new Comparison(nowMs);
    recorded.forEach(r -> results.addAll(comparison.compare(r.reference(), r.candidate())));
    boolean passed = print(results);
    if (options.containsKey("--dump")) {
      Files.write(
          Path.of(options.get("--dump")),
          recorded.stream().flatMap(r -> comparison.show(r.reference()).stream()).toList());
    }
    if (options.containsKey("--prove")) {
      passed &= new Proof(comparison, recorded).prove(Integer.parseInt(options.get("--prove")));
    }
    return passed;
  }

  /** What both brokers did in one scenario. */
  record Recorded(List<Exchange> reference, List<Exchange> candidate) {}

  /** Both brokers run the whole script, at the same time. */
  private List<Recorded> runAll(Target reference, Target candidate) {
    Pattern only = Pattern.compile(options.getOrDefault("--only", ""));
    List<Scenario> script =
        Script.scenarios().stream().filter(s -> only.matcher(s.name()).find()).toList();
    CompletableFuture<List<List<Exchange>>> other =
        CompletableFuture.supplyAsync(() -> runAll(script, candidate, reference));
    List<List<Exchange>> ofReference = runAll(script, reference, candidate);
    List<List<Exchange>> ofCandidate = other.join();
    List<Recorded> recorded = new ArrayList<>();
    for (int i = 0; i < script.size(); i++) {
      recorded.add(new Recorded(ofReference.get(i), ofCandidate.get(i)));
    }
    return recorded;
  }

  private List<List<Exchange>> runAll(List<Scenario> script, Target target, Target other) {
    List<List<Exchange>> all = new ArrayList<>();
    for (Scenario scenario : script) {
      long began = System.nanoTime();
      try (Session session =
          new Session(scenario.name(), target.address, target.versions, other.versions)) {
        try {
          scenario.body().run(session);
        } catch (Exception e) {
          session.aborted(e);
        }
        all.add(session.exchanges());
      }
      if (options.containsKey("--verbose")) {
        System.out.printf(
            "%s %s: %d ms%n",
            target.address, scenario.name(), (System.nanoTime() - began) / 1_000_000);
      }
    }
    return all;
  }

  private boolean print(List<Comparison.Result> results) {
    int equal = 0;
    int explained = 0;
    int unexplained = 0;
    Map<String, Integer> byRow = new TreeMap<>();
    for (Comparison.Result result : results) {
      if (result.differences().isEmpty()) {
        equal++;
        continue;
      }
      boolean all = true;
      for (Difference difference : result.differences()) {
        Optional<String> row = explanations.explain(result.title(), difference);
        row.ifPresent(id -> byRow.merge(id, 1, Integer::sum));
        all &= row.isPresent();
        if (row.isEmpty() || options.containsKey("--verbose")) {
          System.out.printf(
              "%s%n  %s%n    reference: %s%n    candidate: %s%n    %s%n",
              result.title(),
              difference.path(),
              difference.expected(),
              difference.found(),
              row.map(id -> "explained by " + id).orElse("UNEXPLAINED"));
        }
      }
      if (all) {
        explained++;
      } else {
        unexplained++;
      }
    }
    System.out.printf(
        "%d requests compared: %d equal, %d with explained differences, %d unexplained%n",
        results.size(), equal, explained, unexplained);
    byRow.forEach((id, count) -> System.out.printf("  %s: %d fields%n", id, count));
    if (!explanations.unused().isEmpty() && !options.containsKey("--only")) {
      System.out.println("  rows that explained nothing: " + explanations.unused());
    }
    return unexplained == 0 && equal > 0;
  }

  private InetSocketAddress address(String option) {
    String[] parts = options.getOrDefault(option, "").split(":");
    if (parts.length != 2) {
      throw new IllegalArgumentException(option + " HOST:PORT is missing");
    }
    return new InetSocketAddress(parts[0], Integer.parseInt(parts[1]));
  }

  /** One of the two brokers. */
  private static final class Target {
    private final InetSocketAddress address;
    private Versions versions;

    Target(InetSocketAddress address) {
      this.address = address;
    }

    /** Reads the versions and waits until the group coordinator is there. */
    void learn() throws IOException {
      ApiVersionsResponseData first = new ApiVersionsResponseData();
      first.apiKeys().add(apiVersionsItself());
      try (Session session =
          new Session("warm-up", address, new Versions(first), new Versions(first))) {
        ApiVersionsResponseData answer =
            session.call(
                "versions",
                3,
                new ApiVersionsRequestData()
                    .setClientSoftwareName("oracle")
                    .setClientSoftwareVersion("1"));
        versions = new Versions(answer);
      }
      try (Session session = new Session("warm-up", address, versions, versions)) {
        session.until(
            "a group coordinator at " + address,
            () -> {
              FindCoordinatorResponseData found =
                  session.call("", 1, new FindCoordinatorRequestData().setKey("warm-up"));
              return found.errorCode() == 0 && found.nodeId() >= 0;
            });
      }
    }

    private static ApiVersionsResponseData.ApiVersion apiVersionsItself() {
      return new ApiVersionsResponseData.ApiVersion()
          .setApiKey((short) 18)
          .setMinVersion((short) 0)
          .setMaxVersion((short) 3);
    }
  }
}
