package io.weirmq.protocol.generator;

import java.util.List;

/**
 * Java source text under construction: lines, indentation, documentation.
 *
 * <p>Confined to one thread.
 */
final class SourceText {

  private static final int WIDTH = 100;
  private static final String INDENT = "  ";

  private final StringBuilder text = new StringBuilder();
  private int depth;

  /**
   * Appends a line at the current depth, or several, the later ones indented as a continuation. A
   * line that is too long is broken behind its assignment.
   */
  SourceText line(String content) {
    String[] lines = content.split("\n", -1);
    if (lines.length == 1 && content.length() + depth * INDENT.length() > WIDTH) {
      lines = content.replaceFirst(" = ", " =\n").split("\n", -1);
    }
    for (int i = 0; i < lines.length; i++) {
      text.append(INDENT.repeat(i == 0 ? depth : depth + 2)).append(lines[i]).append('\n');
    }
    return this;
  }

  /** Appends an empty line. */
  SourceText blank() {
    text.append('\n');
    return this;
  }

  /** Appends a line and an opening brace; what follows is one deeper. */
  SourceText open(String head) {
    line(head + " {");
    depth++;
    return this;
  }

  /** Ends a block and begins its alternative. */
  SourceText otherwise(String head) {
    depth--;
    line("} " + head + " {");
    depth++;
    return this;
  }

  /** Ends a block. */
  SourceText close() {
    return close("}");
  }

  /** Ends a block with a given text. */
  SourceText close(String tail) {
    depth--;
    return line(tail);
  }

  /** Appends a documentation comment of paragraphs and tags, which are plain text. */
  SourceText doc(String... paragraphs) {
    List<String> shown = List.of(paragraphs).stream().filter(p -> !p.isBlank()).toList();
    if (shown.size() == 1 && shown.get(0).length() + depth * INDENT.length() + 7 <= WIDTH) {
      return line("/** " + escape(shown.get(0)) + " */");
    }
    line("/**");
    boolean first = true;
    boolean previousIsTag = false;
    for (String paragraph : shown) {
      boolean isTag = paragraph.startsWith("@");
      if (!first && !(isTag && previousIsTag)) {
        line(" *");
      }
      wrapped(first || isTag ? escape(paragraph) : "<p>" + escape(paragraph));
      first = false;
      previousIsTag = isTag;
    }
    return line(" */");
  }

  private void wrapped(String paragraph) {
    int room = WIDTH - depth * INDENT.length() - 3;
    StringBuilder current = new StringBuilder();
    for (String word : paragraph.split("\\s+")) {
      if (current.length() > 0 && current.length() + 1 + word.length() > room) {
        line(" * " + current);
        current.setLength(0);
      }
      current.append(current.length() > 0 ? " " : "").append(word);
    }
    line(" * " + current);
  }

  private static String escape(String plain) {
    String escaped = plain.replace("&", "&amp;").replace("<", "&lt;").replace("*/", "*&#47;");
    return escaped.startsWith("@") ? escaped : escaped.replace("@", "&#64;");
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
