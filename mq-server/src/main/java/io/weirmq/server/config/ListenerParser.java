package io.weirmq.server.config;

import io.weirmq.server.config.ListenerSettings.HostPort;
import io.weirmq.server.config.ListenerSettings.ListenerSetting;
import io.weirmq.server.config.ListenerSettings.LocalListenerSetting;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads listener configurations and checks that they fit together. Confined to one thread. */
final class ListenerParser {

  private static final Pattern ENTRY = Pattern.compile("([A-Za-z0-9_.-]+)://(.*)");
  private static final Pattern ADDRESS =
      Pattern.compile("(\\[[0-9a-fA-F:.%]*\\]|[^:/\\[\\]]*):(-?\\d+)");

  private static final int PORT_MAX = 65_535;

  /** The protocol of plain TCP. */
  private static final String PLAINTEXT = "PLAINTEXT";

  /** The protocol of shared memory, and the name of its listener where none is given. */
  private static final String SHARED_MEMORY = "SHM";

  private final ConfigValues values;
  private final List<String> problems;
  private final Map<String, String> protocols;

  private ListenerParser(ConfigValues values, List<String> problems) {
    this.values = values;
    this.problems = problems;
    this.protocols = protocols(values, problems);
  }

  /** Returns the listeners; empty where there are problems, which are added to the list. */
  static Optional<ListenerSettings> parse(ConfigValues values, List<String> problems) {
    int before = problems.size();
    ListenerSettings settings = new ListenerParser(values, problems).parse();
    return problems.size() == before ? Optional.of(settings) : Optional.empty();
  }

  private static Map<String, String> protocols(ConfigValues values, List<String> problems) {
    Map<String, String> protocols = new LinkedHashMap<>();
    for (String entry : ConfigType.parseList(values.string(NodeKeys.PROTOCOL_MAP))) {
      String[] parts = entry.split(":", -1);
      if (parts.length != 2) {
        problems.add(
            problem(
                values, NodeKeys.PROTOCOL_MAP, "'%s': expected NAME:PROTOCOL".formatted(entry)));
      } else {
        protocols.put(
            parts[0].trim().toUpperCase(Locale.ROOT), parts[1].trim().toUpperCase(Locale.ROOT));
      }
    }
    return protocols;
  }

  private ListenerSettings parse() {
    int before = problems.size();
    Map<String, String> entries = entries(NodeKeys.LISTENERS);
    Map<String, HostPort> bound = new LinkedHashMap<>();
    List<LocalListenerSetting> local = new ArrayList<>();
    entries.forEach(
        (name, address) -> {
          if (isLocal(name)) {
            local(name, address).ifPresent(local::add);
          } else {
            address(NodeKeys.LISTENERS, name, address).ifPresent(each -> bound.put(name, each));
          }
        });
    checkProtocols(bound.keySet());
    checkPorts(bound);
    checkFolders(local);
    if (bound.isEmpty() && problems.size() == before) {
      problem(
          NodeKeys.LISTENERS,
          "none of %s has a port, and clients are told host and port; add PLAINTEXT://127.0.0.1:0"
                  .formatted(entries.keySet())
              + " for instance");
    }
    Map<String, HostPort> advertised = advertised(entries.keySet());
    List<ListenerSetting> listeners = new ArrayList<>();
    bound.forEach(
        (name, address) ->
            listeners.add(
                new ListenerSetting(
                    name,
                    address.host(),
                    address.port(),
                    Optional.ofNullable(advertised.get(name)))));
    if (local.isEmpty()
        && values.flag(SharedMemoryKeys.ENABLE)
        && !bound.containsKey(SHARED_MEMORY)) {
      local.add(new LocalListenerSetting(SHARED_MEMORY, Optional.empty(), false));
    }
    return new ListenerSettings(listeners, local, interBrokerListener(bound));
  }

  private boolean isLocal(String name) {
    return SHARED_MEMORY.equals(protocols.get(name));
  }

  /** Splits entries into names, in capitals, and what stands behind them. */
  private Map<String, String> entries(ConfigKey key) {
    Map<String, String> entries = new LinkedHashMap<>();
    for (String entry : values.text(key).map(ConfigType::parseList).orElse(List.of())) {
      Matcher matcher = ENTRY.matcher(entry);
      if (!matcher.matches()) {
        problem(key, "'%s': expected NAME://host:port".formatted(entry));
        continue;
      }
      String name = matcher.group(1).toUpperCase(Locale.ROOT);
      if (entries.put(name, matcher.group(2)) != null) {
        problem(key, "listener name %s occurs twice".formatted(name));
      }
    }
    return entries;
  }

  private Optional<LocalListenerSetting> local(String name, String folder) {
    if (!folder.isEmpty() && !folder.startsWith("/")) {
      problem(
          NodeKeys.LISTENERS,
          "'%s://%s': expected %s:///folder, or %s:// for the default folder"
              .formatted(name, folder, name, name));
      return Optional.empty();
    }
    Optional<String> given = folder.isEmpty() ? Optional.empty() : Optional.of(folder);
    return Optional.of(new LocalListenerSetting(name, given, true));
  }

  private Optional<HostPort> address(ConfigKey key, String name, String text) {
    Matcher matcher = ADDRESS.matcher(text);
    if (!matcher.matches()) {
      problem(key, "'%s://%s': expected NAME://host:port".formatted(name, text));
      return Optional.empty();
    }
    Optional<Integer> port = port(matcher.group(2));
    if (port.isEmpty()) {
      problem(key, "'%s://%s': expected a port from 0 to 65535".formatted(name, text));
    }
    return port.map(number -> new HostPort(unbracketed(matcher.group(1)), number));
  }

  private static Optional<Integer> port(String digits) {
    if (digits.startsWith("-") || digits.length() > 5) {
      return Optional.empty();
    }
    int port = Integer.parseInt(digits);
    return port <= PORT_MAX ? Optional.of(port) : Optional.empty();
  }

  private static String unbracketed(String host) {
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }

  private void checkProtocols(Set<String> names) {
    for (String name : names) {
      String protocol = protocols.get(name);
      if (protocol == null) {
        problem(
            NodeKeys.LISTENERS,
            "listener %s has no entry in %s".formatted(name, NodeKeys.PROTOCOL_MAP.name()));
      } else if (!protocol.equals(PLAINTEXT)) {
        problem(
            NodeKeys.LISTENERS,
            "listener %s has protocol %s; only %s and %s are served"
                .formatted(name, protocol, PLAINTEXT, SHARED_MEMORY));
      }
    }
  }

  private void checkPorts(Map<String, HostPort> bound) {
    Set<Integer> ports = new HashSet<>();
    for (HostPort address : bound.values()) {
      if (address.port() != 0 && !ports.add(address.port())) {
        problem(NodeKeys.LISTENERS, "port %d occurs twice".formatted(address.port()));
      }
    }
  }

  private void checkFolders(List<LocalListenerSetting> local) {
    Set<Optional<String>> folders = new HashSet<>();
    for (LocalListenerSetting each : local) {
      if (!folders.add(each.folder())) {
        problem(
            NodeKeys.LISTENERS,
            "folder %s occurs twice".formatted(each.folder().orElse("by default")));
      }
    }
  }

  private Map<String, HostPort> advertised(Set<String> listeners) {
    Map<String, HostPort> advertised = new LinkedHashMap<>();
    entries(NodeKeys.ADVERTISED_LISTENERS)
        .forEach(
            (name, text) -> {
              if (isLocal(name)) {
                problem(
                    NodeKeys.ADVERTISED_LISTENERS,
                    "%s is shared memory, which clients find by the port".formatted(name));
              } else {
                address(NodeKeys.ADVERTISED_LISTENERS, name, text)
                    .ifPresent(address -> advertised.put(name, address));
              }
            });
    advertised.forEach((name, address) -> checkAdvertised(listeners, name, address));
    return advertised;
  }

  private void checkAdvertised(Set<String> listeners, String name, HostPort address) {
    if (!listeners.contains(name)) {
      problem(
          NodeKeys.ADVERTISED_LISTENERS,
          "%s is none of the listeners %s".formatted(name, listeners));
    }
    if (ListenerSettings.isWildcard(address.host())) {
      problem(
          NodeKeys.ADVERTISED_LISTENERS,
          "'%s://%s:%d': clients can't connect to a wildcard address; name a host"
              .formatted(name, address.host(), address.port()));
    }
  }

  private String interBrokerListener(Map<String, HostPort> bound) {
    Optional<String> given =
        values.text(NodeKeys.INTER_BROKER_LISTENER).map(name -> name.toUpperCase(Locale.ROOT));
    if (given.isPresent() && isLocal(given.get())) {
      problem(
          NodeKeys.INTER_BROKER_LISTENER,
          "%s is shared memory; brokers of other hosts need a port".formatted(given.get()));
    } else if (given.isPresent() && !bound.containsKey(given.get())) {
      problem(
          NodeKeys.INTER_BROKER_LISTENER,
          "%s is none of the listeners %s".formatted(given.get(), bound.keySet()));
    }
    return given.orElseGet(() -> bound.keySet().stream().findFirst().orElse("PLAINTEXT"));
  }

  private void problem(ConfigKey key, String text) {
    problems.add(problem(values, key, text));
  }

  private static String problem(ConfigValues values, ConfigKey key, String text) {
    return "%s: %s (%s)".formatted(key.name(), text, values.origin(key));
  }
}
