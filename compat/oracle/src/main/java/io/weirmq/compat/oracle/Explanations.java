package io.weirmq.compat.oracle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The explained differences: the rows of the table in {@code explained-differences.md}, whose first
 * cells are an id, a pattern for the title of the exchange, one for the field path, one for Kafka's
 * value and one for ours. Patterns are regular expressions over the whole, and are written in
 * backquotes. Confined to one thread.
 */
final class Explanations {
  private static final int CELLS = 6;

  private final List<Row> rows = new ArrayList<>();
  private final Set<String> used = new TreeSet<>();

  private record Row(String id, Pattern title, Pattern path, Pattern expected, Pattern found) {
    boolean fits(String exchange, Difference difference) {
      return title.matcher(exchange).matches()
          && path.matcher(difference.path()).matches()
          && expected.matcher(difference.expected()).matches()
          && found.matcher(difference.found()).matches();
    }
  }

  /** Reads the table; a row with too few cells is an error. */
  static Explanations read(Path file) throws IOException {
    Explanations explanations = new Explanations();
    for (String line : Files.readAllLines(file)) {
      if (line.startsWith("| E")) {
        // A cell may hold an escaped bar, as Markdown has it.
        String[] cells = line.substring(1).split("(?<!\\\\)\\|");
        if (cells.length < CELLS) {
          throw new IOException(file + ": a row with " + cells.length + " cells: " + line);
        }
        explanations.rows.add(
            new Row(
                cells[0].trim(),
                pattern(cells[1]),
                pattern(cells[2]),
                pattern(cells[3]),
                pattern(cells[4])));
      }
    }
    return explanations;
  }

  static Explanations none() {
    return new Explanations();
  }

  private static Pattern pattern(String cell) {
    return Pattern.compile(cell.trim().replace("`", "").replace("\\|", "|"), Pattern.DOTALL);
  }

  /** The id of the first row that explains a difference. */
  Optional<String> explain(String title, Difference difference) {
    for (Row row : rows) {
      if (row.fits(title, difference)) {
        used.add(row.id());
        return Optional.of(row.id());
      }
    }
    return Optional.empty();
  }

  /** Rows that explained nothing so far: candidates for removal. */
  List<String> unused() {
    return rows.stream().map(Row::id).filter(id -> !used.contains(id)).toList();
  }
}
