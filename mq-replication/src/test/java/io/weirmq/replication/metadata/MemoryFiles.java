package io.weirmq.replication.metadata;

import io.weirmq.storage.io.LogFile;
import io.weirmq.storage.io.LogFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;

/**
 * Files in memory that know which bytes and names were forced to the disk, and can lose the others.
 * After a crash every call fails until {@link #restart}.
 */
public final class MemoryFiles implements LogFileSystem {

  private static final int NEVER = Integer.MAX_VALUE;

  private Map<Path, Node> names = new HashMap<>();
  private Map<Path, Node> durableNames = new HashMap<>();
  private int stepsLeft = NEVER;
  private boolean crashed;
  private int forces;
  private int steps;

  /** Lets the call after so many others fail, and all calls behind it. */
  public void crashAfter(int stepCount) {
    stepsLeft = stepCount;
  }

  /** The number of calls that changed or forced something. */
  public int steps() {
    return steps;
  }

  /** The number of times that bytes were forced. */
  public int forces() {
    return forces;
  }

  /** Goes on after a crash of the process only: what was written is there. */
  public void restart() {
    stepsLeft = NEVER;
    crashed = false;
  }

  /**
   * Goes on after a power cut: of each file some of the bytes that were not forced are gone, and
   * the names in the folder are the forced ones or the newest.
   */
  public void restartAfterPowerCut(Random random) {
    restart();
    if (random.nextBoolean()) {
      names = new HashMap<>(durableNames);
    }
    names.values().forEach(node -> node.loseTail(random));
    durableNames = new HashMap<>(names);
  }

  /** Returns a file's bytes. */
  public byte[] bytes(Path file) throws IOException {
    return node(file).content.clone();
  }

  /** Replaces a file's bytes, behind everyone's back. */
  public void put(Path file, byte[] bytes) {
    Node node = new Node();
    node.content = bytes.clone();
    node.forced = bytes.clone();
    names.put(file, node);
    durableNames.put(file, node);
  }

  @Override
  public LogFile open(Path file, OpenMode mode) throws IOException {
    if (mode == OpenMode.READ) {
      return new MemoryFile(file, node(file));
    }
    step();
    if (mode == OpenMode.CREATE_NEW && names.containsKey(file)) {
      throw new FileAlreadyExistsException(file.toString());
    }
    return new MemoryFile(file, names.computeIfAbsent(file, name -> new Node()));
  }

  @Override
  public void createDirectories(Path directory) throws IOException {
    step();
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    step();
    names.put(to, node(from));
    names.remove(from);
  }

  @Override
  public boolean deleteIfExists(Path path) throws IOException {
    step();
    return names.remove(path) != null;
  }

  @Override
  public List<Path> list(Path directory) {
    return names.keySet().stream().filter(name -> directory.equals(name.getParent())).toList();
  }

  @Override
  public boolean exists(Path path) {
    return names.containsKey(path);
  }

  @Override
  public boolean isDirectory(Path path) {
    return false;
  }

  @Override
  public long size(Path file) throws IOException {
    return node(file).content.length;
  }

  @Override
  public long lastModifiedMs(Path file) {
    return 0;
  }

  @Override
  public void forceDirectory(Path directory) throws IOException {
    step();
    durableNames = new HashMap<>(names);
  }

  @Override
  public HeldLock lock(Path file, String holder) {
    return () -> {};
  }

  private Node node(Path file) throws IOException {
    Node node = names.get(file);
    if (node == null) {
      throw new NoSuchFileException(file.toString());
    }
    return node;
  }

  private void step() throws IOException {
    if (crashed || stepsLeft == 0) {
      crashed = true;
      throw new IOException("the machine is off");
    }
    stepsLeft--;
    steps++;
  }

  private static final class Node {
    private byte[] content = new byte[0];
    private byte[] forced = new byte[0];

    private void loseTail(Random random) {
      if (!Arrays.equals(content, forced)) {
        int kept =
            content.length <= forced.length
                ? content.length
                : forced.length + random.nextInt(content.length - forced.length + 1);
        content = Arrays.copyOf(content, kept);
      }
      forced = content;
    }
  }

  private final class MemoryFile implements LogFile {
    private final Path path;
    private final Node node;

    private MemoryFile(Path path, Node node) {
      this.path = Objects.requireNonNull(path);
      this.node = node;
    }

    @Override
    public Path path() {
      return path;
    }

    @Override
    public long write(ByteBuffer[] sources, int count, long position) throws IOException {
      boolean last = stepsLeft == 0;
      int remaining = sources[0].remaining();
      // The write under way when the machine dies leaves the first half.
      int taken = last ? remaining / 2 : remaining;
      byte[] grown =
          Arrays.copyOf(node.content, Math.max(node.content.length, (int) position + taken));
      sources[0].get(grown, (int) position, taken);
      node.content = grown;
      step();
      return taken;
    }

    @Override
    public int read(ByteBuffer target, long position) {
      int count = Math.min(target.remaining(), node.content.length - (int) position);
      if (count <= 0) {
        return -1;
      }
      target.put(node.content, (int) position, count);
      return count;
    }

    @Override
    public void truncate(long length) throws IOException {
      step();
      node.content = Arrays.copyOf(node.content, (int) length);
    }

    @Override
    public void force() throws IOException {
      step();
      forces++;
      node.forced = node.content.clone();
    }

    @Override
    public long size() {
      return node.content.length;
    }

    @Override
    public FileChannel channel() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
  }
}
