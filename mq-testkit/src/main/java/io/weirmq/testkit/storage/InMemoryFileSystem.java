package io.weirmq.testkit.storage;

import io.weirmq.storage.io.FileLockedException;
import io.weirmq.storage.io.LogFile;
import io.weirmq.storage.io.LogFileSystem;
import io.weirmq.testkit.storage.FileOperation.Kind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A file system in memory that keeps what was forced and what was not apart, and that a test can
 * break: see the package's description. Safe for use by several threads.
 *
 * <p>Paths are those of the machine's default file system, made absolute; nothing of the machine's
 * files is touched. A name is renamed within its folder only.
 */
public final class InMemoryFileSystem implements LogFileSystem {

  private final Disk disk;
  private final FolderNode root;
  private final Map<Node, String> locks = new HashMap<>();
  private long nodes;

  /** Makes an empty file system whose files were all written at the epoch. */
  public InMemoryFileSystem() {
    this(InstantSource.fixed(Instant.EPOCH));
  }

  /**
   * Makes an empty file system.
   *
   * @param clock tells when a file was written last
   */
  public InMemoryFileSystem(InstantSource clock) {
    this.disk = new Disk(clock);
    this.root = new FolderNode(nodes++);
  }

  /** What goes wrong. */
  public Faults faults() {
    return disk.faults();
  }

  /** What was read and written. */
  public FileCounts counts() {
    return disk.counts();
  }

  /**
   * Sets the size of the disk. A write that doesn't fit writes what fits, or fails where nothing
   * does; names cost nothing.
   *
   * @param bytes 0 or more; may be below what is used
   */
  public void capacityBytes(long bytes) {
    synchronized (disk) {
      disk.space().capacity(bytes);
    }
  }

  /** The bytes of all files, of removed ones as long as somebody has them open. */
  public long usedBytes() {
    synchronized (disk) {
      return disk.space().usedBytes();
    }
  }

  /** The number of files that are open. */
  public int openFiles() {
    return disk.openFiles();
  }

  /**
   * Cuts the power: nothing works any more here, and what a restart finds is a new file system,
   * with the same clock and size and without faults.
   */
  public InMemoryFileSystem cutPower(PowerCut cut) {
    faults().powerOff();
    synchronized (disk) {
      InMemoryFileSystem after = new InMemoryFileSystem(disk.clock());
      after.disk.space().capacity(disk.space().capacityBytes());
      after.nodes = nodes;
      after.copySurvivors(root, after.root, cut);
      return after;
    }
  }

  /**
   * Kills the process: locks and open files are gone, everything written is there, and what was not
   * forced still is not; a power cut may follow. Nothing works any more here; what the next process
   * finds is a new file system, with the same clock and size and without faults.
   */
  public InMemoryFileSystem kill() {
    faults().powerOff();
    synchronized (disk) {
      InMemoryFileSystem after = new InMemoryFileSystem(disk.clock());
      after.disk.space().capacity(disk.space().capacityBytes());
      after.nodes = nodes;
      after.copyAll(root);
      return after;
    }
  }

  private void copyAll(FolderNode from) {
    Map<Node, Node> copies = new HashMap<>();
    root.copyFrom(from, node -> copyOf(node, copies));
    files().values().forEach(content -> disk.space().take(content.length));
  }

  private Node copyOf(Node node, Map<Node, Node> copies) {
    Node known = copies.get(node);
    if (known != null) {
      return known;
    }
    if (node instanceof FileNode file) {
      FileNode copy = new FileNode(file.number(), file);
      copies.put(node, copy);
      return copy;
    }
    FolderNode copy = new FolderNode(node.number());
    copies.put(node, copy);
    copy.copyFrom((FolderNode) node, below -> copyOf(below, copies));
    return copy;
  }

  private void copySurvivors(FolderNode from, FolderNode to, PowerCut cut) {
    for (Map.Entry<String, Node> entry : from.after(cut.namesKept(from)).entrySet()) {
      if (entry.getValue() instanceof FolderNode folder) {
        FolderNode copy = new FolderNode(entry.getValue().number());
        to.addForced(entry.getKey(), copy);
        copySurvivors(folder, copy, cut);
      } else if (entry.getValue() instanceof FileNode file) {
        Content content = cut.survivingBytes(file);
        disk.space().take(content.length());
        to.addForced(entry.getKey(), new FileNode(file.number(), content, file.modifiedMs()));
      }
    }
  }

  /** The bytes of a file, read without faults. */
  public byte[] bytes(Path file) throws IOException {
    synchronized (disk) {
      return existingFile(file).bytes();
    }
  }

  /** All files with their bytes, read without faults. */
  public SortedMap<Path, byte[]> files() {
    synchronized (disk) {
      SortedMap<Path, byte[]> found = new TreeMap<>();
      collect(Path.of("").toAbsolutePath().getRoot(), root, found);
      return found;
    }
  }

  private static void collect(Path path, FolderNode folder, Map<Path, byte[]> found) {
    folder
        .seen()
        .forEach(
            (name, node) -> {
              if (node instanceof FileNode file) {
                found.put(path.resolve(name), file.bytes());
              } else if (node instanceof FolderNode below) {
                collect(path.resolve(name), below, found);
              }
            });
  }

  /**
   * Puts a file there as a test wants it, in place of one of that name, durably and without faults.
   */
  public void put(Path file, byte[] bytes) throws IOException {
    synchronized (disk) {
      Content content = new Content();
      content.write(0, bytes, 0, bytes.length);
      FolderNode folder = parentOf(file);
      disk.unlinked(folder.get(nameOf(file)));
      disk.space().take(bytes.length);
      folder.addForced(nameOf(file), new FileNode(nodes++, content, disk.nowMs()));
    }
  }

  /**
   * Flips a bit on the disk.
   *
   * @param position in bytes, below the file's length
   * @param bit 0 to 7
   */
  public void flipBit(Path file, long position, int bit) throws IOException {
    synchronized (disk) {
      existingFile(file).flipBit(Math.toIntExact(position), bit);
    }
  }

  /** Sets when a file was written last. */
  public void lastModifiedMs(Path file, long ms) throws IOException {
    synchronized (disk) {
      existingFile(file).modifiedMs(ms);
    }
  }

  @Override
  public LogFile open(Path file, OpenMode mode) throws IOException {
    boolean creates = mode != OpenMode.READ && !exists(file);
    FileNode[] opened = new FileNode[1];
    disk.run(
        FileOperation.on(creates ? Kind.CREATE : Kind.OPEN, file),
        () -> {
          opened[0] = openNode(file, mode);
          disk.opened(opened[0]);
          return 0L;
        });
    return new InMemoryFile(file, opened[0], disk, mode != OpenMode.READ);
  }

  private FileNode openNode(Path file, OpenMode mode) throws IOException {
    Node found = find(file);
    if (found instanceof FolderNode) {
      throw new IOException(file + " is a folder");
    }
    if (found instanceof FileNode existing) {
      if (mode == OpenMode.CREATE_NEW) {
        throw new FileAlreadyExistsException(file.toString());
      }
      return existing;
    }
    if (mode == OpenMode.READ) {
      throw new NoSuchFileException(file.toString());
    }
    FileNode made = new FileNode(nodes++, disk.nowMs());
    parentOf(file).add(nameOf(file), made);
    return made;
  }

  @Override
  public void createDirectories(Path directory) throws IOException {
    Path absolute = normal(directory);
    Path above = absolute.getParent();
    if (isDirectory(absolute) || above == null) {
      return;
    }
    createDirectories(above);
    disk.run(
        FileOperation.on(Kind.CREATE_FOLDER, directory),
        () -> {
          Node found = find(absolute);
          if (found instanceof FileNode) {
            throw new FileAlreadyExistsException(absolute.toString());
          }
          if (found == null) {
            parentOf(absolute).add(nameOf(absolute), new FolderNode(nodes++));
          }
          return 0L;
        });
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    disk.run(
        new FileOperation(Kind.RENAME, from, to, 0, 0),
        () -> {
          renameNode(from, to);
          return 0L;
        });
  }

  private void renameNode(Path from, Path to) throws IOException {
    Node moved = existing(from);
    FolderNode folder = parentOf(from);
    if (parentOf(to) != folder) {
      throw new UnsupportedOperationException(
          "renaming %s to %s: a file in memory stays in its folder".formatted(from, to));
    }
    Node replaced = find(to);
    if (replaced == moved) {
      return;
    }
    if (replaced instanceof FolderNode || (replaced != null && moved instanceof FolderNode)) {
      throw new FileAlreadyExistsException(to.toString());
    }
    folder.rename(nameOf(from), nameOf(to));
    disk.unlinked(replaced);
  }

  @Override
  public boolean deleteIfExists(Path path) throws IOException {
    boolean there = exists(path);
    return disk.run(FileOperation.on(there ? Kind.DELETE : Kind.LOOK, path), () -> deleteNode(path))
        > 0;
  }

  private long deleteNode(Path path) throws IOException {
    Node found = find(path);
    if (found == null) {
      return 0;
    }
    if (found instanceof FolderNode folder && !folder.seen().isEmpty()) {
      throw new DirectoryNotEmptyException(path.toString());
    }
    parentOf(path).remove(nameOf(path));
    disk.unlinked(found);
    return 1;
  }

  @Override
  public List<Path> list(Path directory) throws IOException {
    List<Path> listed = new ArrayList<>();
    disk.run(
        FileOperation.on(Kind.LOOK, directory),
        () -> {
          if (!(existing(directory) instanceof FolderNode folder)) {
            throw new NotDirectoryException(directory.toString());
          }
          folder.seen().keySet().forEach(name -> listed.add(directory.resolve(name)));
          return 0L;
        });
    // Not in the order of names, which callers must not count on.
    listed.sort(Comparator.comparing(path -> new StringBuilder(path.toString()).reverse()));
    return listed;
  }

  @Override
  public boolean exists(Path path) {
    synchronized (disk) {
      return find(path) != null;
    }
  }

  @Override
  public boolean isDirectory(Path path) {
    synchronized (disk) {
      return find(path) instanceof FolderNode;
    }
  }

  @Override
  public long size(Path file) throws IOException {
    return disk.run(
        FileOperation.on(Kind.LOOK, file), () -> (long) existingFile(file).seen().length());
  }

  @Override
  public long lastModifiedMs(Path file) throws IOException {
    return disk.run(
        FileOperation.on(Kind.LOOK, file),
        () -> existing(file) instanceof FileNode found ? found.modifiedMs() : 0L);
  }

  @Override
  public void forceDirectory(Path directory) throws IOException {
    disk.run(
        FileOperation.on(Kind.FORCE_FOLDER, directory),
        () -> {
          if (!(existing(directory) instanceof FolderNode folder)) {
            throw new NotDirectoryException(directory.toString());
          }
          folder.force();
          return 0L;
        });
  }

  @Override
  public HeldLock lock(Path file, String holder) throws IOException {
    Node[] locked = new Node[1];
    disk.run(
        FileOperation.on(exists(file) ? Kind.OPEN : Kind.CREATE, file),
        () -> {
          FileNode node = openNode(file, OpenMode.READ_WRITE);
          String other = locks.get(node);
          if (other != null) {
            throw new FileLockedException(file, other);
          }
          locks.put(node, holder);
          byte[] content = (holder + "\n").getBytes(StandardCharsets.UTF_8);
          disk.change(
              node,
              () -> {
                node.truncate(0, disk.nowMs());
                node.write(0, content, disk.nowMs());
              });
          locked[0] = node;
          return 0L;
        });
    return () -> {
      synchronized (disk) {
        locks.remove(locked[0]);
      }
    };
  }

  private static Path normal(Path path) {
    return path.toAbsolutePath().normalize();
  }

  private static String nameOf(Path path) {
    return String.valueOf(normal(path).getFileName());
  }

  private @Nullable Node find(Path path) {
    Node node = root;
    for (Path name : normal(path)) {
      node = node instanceof FolderNode folder ? folder.get(name.toString()) : null;
    }
    return node;
  }

  private Node existing(Path path) throws NoSuchFileException {
    Node found = find(path);
    if (found == null) {
      throw new NoSuchFileException(path.toString());
    }
    return found;
  }

  private FileNode existingFile(Path path) throws IOException {
    if (existing(path) instanceof FileNode file) {
      return file;
    }
    throw new IOException(path + " is a folder");
  }

  private FolderNode parentOf(Path path) throws IOException {
    Path above = normal(path).getParent();
    if (above != null && find(above) instanceof FolderNode folder) {
      return folder;
    }
    throw new NoSuchFileException(path.toString(), null, "its folder does not exist");
  }

  /** The number of files that are open and the bytes that are used, for messages. */
  @Override
  public String toString() {
    return "files in memory (%d bytes, %d open)".formatted(usedBytes(), openFiles());
  }
}
