package io.weirmq.server.config;

import io.weirmq.server.config.ListenerSettings.HostPort;
import io.weirmq.server.config.ListenerSettings.ListenerSetting;
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

  private static final Pattern ADDRESS =
      Pattern.compile("([A-Za-z0-9_.-]+)://(\\[[0-9a-fA-F:.%]*\\]|[^:/\\[\\]]*):(-?\\d+)");

  private static final int PORT_MAX = 65_535;

  private final ConfigValues values;
  private final List<String> problems;

  private ListenerParser(ConfigValues values, List<String> problems) {
    this.values = values;
    this.problems = problems;
  }

  /** Returns the listeners; empty where there are problems, which are added to the list. */
  static Optional<ListenerSettings> parse(ConfigValues values, List<String> problems) {
    int before = problems.size();
    ListenerSettings settings = new ListenerParser(values, problems).parse();
    return problems.size() == before ? Optional.of(settings) : Optional.empty();
  }

  private ListenerSettings parse() {
    Map<String, HostPort> bound = addresses(NodeKeys.LISTENERS);
    Map<String, HostPort> advertised = addresses(NodeKeys.ADVERTISED_LISTENERS);
    checkProtocols(bound);
    checkPorts(bound);
    checkAdvertised(bound, advertised);
    List<ListenerSetting> listeners = new ArrayList<>();
    bound.forEach(
        (name, address) ->
            listeners.add(
                new ListenerSetting(
                    name,
                    address.host(),
                    address.port(),
                    Optional.ofNullable(advertised.get(name)))));
    return new ListenerSettings(listeners, interBrokerListener(bound));
  }

  private Map<String, HostPort> addresses(ConfigKey key) {
    Map<String, HostPort> addresses = new LinkedHashMap<>();
    for (String entry : values.text(key).map(ConfigType::parseList).orElse(List.of())) {
      Matcher matcher = ADDRESS.matcher(entry);
      if (!matcher.matches()) {
        problem(key, "'%s': expected NAME://host:port".formatted(entry));
        continue;
      }
      String name = matcher.group(1).toUpperCase(Locale.ROOT);
      Optional<Integer> port = port(matcher.group(3));
      if (port.isEmpty()) {
        problem(key, "'%s': expected a port from 0 to 65535".formatted(entry));
      } else if (addresses.put(name, new HostPort(unbracketed(matcher.group(2)), port.get()))
          != null) {
        problem(key, "listener name %s occurs twice".formatted(name));
      }
    }
    return addresses;
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

  private void checkProtocols(Map<String, HostPort> bound) {
    Map<String, String> protocols = new LinkedHashMap<>();
    for (String entry : ConfigType.parseList(values.string(NodeKeys.PROTOCOL_MAP))) {
      String[] parts = entry.split(":", -1);
      if (parts.length != 2) {
        problem(NodeKeys.PROTOCOL_MAP, "'%s': expected NAME:PROTOCOL".formatted(entry));
      } else {
        protocols.put(
            parts[0].trim().toUpperCase(Locale.ROOT), parts[1].trim().toUpperCase(Locale.ROOT));
      }
    }
    for (String name : bound.keySet()) {
      String protocol = protocols.get(name);
      if (protocol == null) {
        problem(
            NodeKeys.LISTENERS,
            "listener %s has no entry in %s".formatted(name, NodeKeys.PROTOCOL_MAP.name()));
      } else if (!protocol.equals("PLAINTEXT")) {
        problem(
            NodeKeys.LISTENERS,
            "listener %s has protocol %s; only PLAINTEXT is served".formatted(name, protocol));
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

  private void checkAdvertised(Map<String, HostPort> bound, Map<String, HostPort> advertised) {
    advertised.forEach(
        (name, address) -> {
          if (!bound.containsKey(name)) {
            problem(
                NodeKeys.ADVERTISED_LISTENERS,
                "%s is none of the listeners %s".formatted(name, bound.keySet()));
          }
          if (ListenerSettings.isWildcard(address.host())) {
            problem(
                NodeKeys.ADVERTISED_LISTENERS,
                "'%s://%s:%d': clients can't connect to a wildcard address; name a host"
                    .formatted(name, address.host(), address.port()));
          }
        });
  }

  private String interBrokerListener(Map<String, HostPort> bound) {
    Optional<String> given =
        values.text(NodeKeys.INTER_BROKER_LISTENER).map(name -> name.toUpperCase(Locale.ROOT));
    if (given.isPresent() && !bound.containsKey(given.get())) {
      problem(
          NodeKeys.INTER_BROKER_LISTENER,
          "%s is none of the listeners %s".formatted(given.get(), bound.keySet()));
    }
    return given.orElseGet(() -> bound.keySet().stream().findFirst().orElse("PLAINTEXT"));
  }

  private void problem(ConfigKey key, String text) {
    problems.add("%s: %s (%s)".formatted(key.name(), text, values.origin(key)));
  }
}
