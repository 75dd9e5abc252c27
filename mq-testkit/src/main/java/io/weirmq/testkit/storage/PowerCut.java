package io.weirmq.testkit.storage;

import java.util.SplittableRandom;

/**
 * What a power cut leaves of changes that were not forced. Immutable; the same cut of the same
 * changes always leaves the same.
 *
 * <p>Of a file each unforced change is, on its own: lost; kept; torn, so that a first part of its
 * bytes is kept; torn by sectors, so that any of the sectors that it touches are kept; or, where it
 * made the file longer, kept as length only, with zeros for bytes. So later writes may survive
 * earlier ones, and a hole between them reads as zeros. Of a folder the unforced changes of names
 * survive up to one of them: journaling file systems commit them in order.
 */
public final class PowerCut {

  /** Sector size in bytes: the unit that a disk writes in one step. */
  public static final int SECTOR_BYTES = 512;

  private enum Style {
    LOSE_ALL,
    KEEP_ALL,
    MIX
  }

  private static final long MIX_NUMBERS = 0x9e3779b97f4a7c15L;

  private final Style style;
  private final long seed;

  private PowerCut(Style style, long seed) {
    this.style = style;
    this.seed = seed;
  }

  /** Nothing survives that was not forced. */
  public static PowerCut losingAll() {
    return new PowerCut(Style.LOSE_ALL, 0);
  }

  /** Everything survives, as when the process alone is killed. */
  public static PowerCut keepingAll() {
    return new PowerCut(Style.KEEP_ALL, 0);
  }

  /**
   * Anything may survive, by the rules of the class. One seed in eight loses all bytes and names
   * that were not forced, one in eight keeps all of them.
   */
  public static PowerCut seeded(long seed) {
    int kind = new SplittableRandom(seed).nextInt(8);
    return new PowerCut(kind == 0 ? Style.LOSE_ALL : kind == 1 ? Style.KEEP_ALL : Style.MIX, seed);
  }

  private SplittableRandom randomOf(Node node) {
    return new SplittableRandom(seed ^ (node.number() + 1) * MIX_NUMBERS);
  }

  /** How many of the unforced changes of names survive. */
  int namesKept(FolderNode folder) {
    int count = folder.unforcedCount();
    return switch (style) {
      case LOSE_ALL -> 0;
      case KEEP_ALL -> count;
      case MIX -> {
        SplittableRandom random = randomOf(folder);
        // Often none or all, as a test with many folders would hardly see these otherwise.
        int kind = random.nextInt(4);
        yield kind == 0 ? 0 : kind == 1 ? count : random.nextInt(count + 1);
      }
    };
  }

  /** What is left of a file. */
  Content survivingBytes(FileNode file) {
    Content left = file.forced().duplicate();
    SplittableRandom random = randomOf(file);
    int keptPercent = random.nextInt(101);
    for (FileNode.Change change : file.changes()) {
      if (change.isCertain() || style == Style.KEEP_ALL) {
        change.applyTo(left);
      } else if (style == Style.MIX) {
        applySome(change, left, random, keptPercent);
      }
    }
    return left;
  }

  private static void applySome(
      FileNode.Change change, Content left, SplittableRandom random, int keptPercent) {
    if (random.nextInt(100) < keptPercent) {
      change.applyTo(left);
      return;
    }
    if (change.isTruncation() || change.lengthBytes() == 0) {
      return;
    }
    switch (random.nextInt(4)) {
      case 0 -> change.applyPart(left, 0, random.nextInt(change.lengthBytes()));
      case 1 -> applySectors(change, left, random);
      case 2 -> change.applyLength(left);
      default -> {
        // Lost.
      }
    }
  }

  private static void applySectors(FileNode.Change change, Content left, SplittableRandom random) {
    int end = change.position() + change.lengthBytes();
    int from = change.position();
    while (from < end) {
      int to = Math.min(end, (from / SECTOR_BYTES + 1) * SECTOR_BYTES);
      if (random.nextBoolean()) {
        change.applyPart(left, from - change.position(), to - from);
      }
      from = to;
    }
  }

  /** The style and the seed, for messages. */
  @Override
  public String toString() {
    return style == Style.MIX ? "power cut of seed " + seed : "power cut, " + style;
  }
}
