package io.weirmq.testkit.storage;

/** A file or folder, whatever its names are. */
abstract sealed class Node permits FileNode, FolderNode {

  /** By order of creation, kept over power cuts: choices by seed don't depend on names. */
  private final long number;

  Node(long number) {
    this.number = number;
  }

  long number() {
    return number;
  }
}
