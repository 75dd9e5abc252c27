package io.weirmq.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Holds {@code docs/configuration.md} against the tables. Where they differ, the new text of the
 * page is in {@code target/configuration.md}.
 */
class ConfigurationPageTest {

  private static final Path PAGE = Path.of("..", "docs", "configuration.md");
  private static final String MARK =
      "<!-- The tables below are made from the code; see ConfigurationPageTest. -->\n";

  @Test
  void thePageSaysWhatTheTablesSay() throws IOException {
    String page = Files.readString(PAGE, StandardCharsets.UTF_8);
    int mark = page.indexOf(MARK);
    assertThat(mark).as("the mark in the page").isPositive();
    String expected = page.substring(0, mark + MARK.length()) + tables();
    Files.writeString(Path.of("target", "configuration.md"), expected, StandardCharsets.UTF_8);

    assertThat(page).isEqualTo(expected);
  }

  private static String tables() {
    List<ConfigKey> brokerKeys =
        BrokerKeys.all().values().stream().filter(key -> !key.internal()).toList();
    return "\n## Broker\n\n"
        + table(brokerKeys.stream().filter(ConfigKey::effective).toList())
        + "\n## Topics\n\n"
        + table(
            TopicKeys.all().values().stream()
                .map(TopicKey::key)
                .filter(ConfigKey::effective)
                .toList())
        + "\n## Accepted without effect\n\n"
        + brokerKeys.stream()
            .filter(key -> !key.effective())
            .map(key -> "`" + key.name() + "`")
            .collect(Collectors.joining(", "))
        + "\n";
  }

  private static String table(Collection<ConfigKey> keys) {
    StringBuilder table =
        new StringBuilder("| key | default | allowed | meaning |\n|---|---|---|---|\n");
    for (ConfigKey key : keys) {
      String restart =
          key.updateMode() == UpdateMode.DYNAMIC ? " *Can be changed while the broker runs.*" : "";
      table.append(
          "| `%s` | %s | %s | %s%s |\n"
              .formatted(
                  key.name(),
                  key.defaultText().map(text -> text.isEmpty() ? "" : "`" + text + "`").orElse("-"),
                  key.expected(),
                  key.doc(),
                  restart));
    }
    return table.toString();
  }
}
