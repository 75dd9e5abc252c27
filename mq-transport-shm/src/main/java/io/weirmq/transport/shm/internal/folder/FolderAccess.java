package io.weirmq.transport.shm.internal.folder;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who may use a folder: its owner alone, or the members of a group as well. Immutable.
 *
 * <pre>
 *                        owner only    with a group
 *   folder               rwx------     rwx--x---
 *   lock                 rw-------     rw-------
 *   socket               rw-------     rw-rw----    to connect is to write
 *   ring file            rw-------     rw-rw----    while it has a name
 * </pre>
 *
 * <p>Members may pass through the folder, but neither list nor change it. So they can't take the
 * socket's place; and the memory of a connection that is not theirs has a name of 64 random bits,
 * which they can't see.
 *
 * <p>That a peer is a member is proved by the system, which lets nobody else connect. The
 * credentials of a socket tell a peer's first group only.
 *
 * @param self the user that this process runs as
 * @param group whose members are admitted, or null for the owner only
 */
public record FolderAccess(UserPrincipal self, @Nullable GroupPrincipal group) {

  private static final Set<PosixFilePermission> PRIVATE_FOLDER =
      PosixFilePermissions.fromString("rwx------");
  private static final Set<PosixFilePermission> GROUP_FOLDER =
      PosixFilePermissions.fromString("rwx--x---");
  private static final Set<PosixFilePermission> PRIVATE_FILE =
      PosixFilePermissions.fromString("rw-------");
  private static final Set<PosixFilePermission> GROUP_FILE =
      PosixFilePermissions.fromString("rw-rw----");

  /** Returns the access of the owner alone. */
  public static FolderAccess ownerOnly(UserPrincipal self) {
    return new FolderAccess(self, null);
  }

  /**
   * Returns the access of a group's members.
   *
   * @param group name or number, or null for the owner only
   * @throws IOException where the system knows no such group
   */
  public static FolderAccess of(UserPrincipal self, @Nullable String group) throws IOException {
    if (group == null) {
      return ownerOnly(self);
    }
    try {
      return new FolderAccess(
          self,
          Path.of("/")
              .getFileSystem()
              .getUserPrincipalLookupService()
              .lookupPrincipalByGroupName(group));
    } catch (IOException e) {
      throw new IOException("group '" + group + "' is not known to this system", e);
    }
  }

  /** The mode of a folder that is made: nobody but its owner, until {@link #takeFolder}. */
  static Set<PosixFilePermission> newFolderMode() {
    return PRIVATE_FOLDER;
  }

  /** The mode of a file that is made: nobody but its owner, until {@link #share}. */
  static Set<PosixFilePermission> newFileMode() {
    return PRIVATE_FILE;
  }

  /**
   * Checks a folder before a listener uses it, and opens it to the group where there is one.
   *
   * @throws IOException where it is no folder of ours, or open to more than it should be, or can't
   *     be given to the group; the message names path and user
   */
  void takeFolder(Path path) throws IOException {
    PosixFileAttributes found = attributes(path);
    if (!found.isDirectory()) {
      throw new IOException(path + " is not a folder (links are not followed)");
    }
    if (!found.owner().equals(self)) {
      throw new IOException(
          "folder %s belongs to user %s; this process runs as %s"
              .formatted(path, found.owner().getName(), self.getName()));
    }
    Set<PosixFilePermission> allowed = group == null ? PRIVATE_FOLDER : GROUP_FOLDER;
    if (!allowed.containsAll(found.permissions())) {
      throw new IOException(
          "folder %s of user %s is open to others (%s); expected %s at most: chmod %s it"
              .formatted(
                  path,
                  self.getName(),
                  PosixFilePermissions.toString(found.permissions()),
                  PosixFilePermissions.toString(allowed),
                  group == null ? "700" : "710"));
    }
    if (!Files.isWritable(path)) {
      throw new IOException(
          "folder %s can't be written to by user %s".formatted(path, self.getName()));
    }
    open(path, GROUP_FOLDER);
  }

  /**
   * Opens a socket or ring file, made for the owner alone, to the group where there is one.
   *
   * @throws IOException where the system does not let us; the message names path and user
   */
  void share(Path file) throws IOException {
    open(file, GROUP_FILE);
  }

  /** The group first, so that at no time members of another one may do anything. */
  private void open(Path path, Set<PosixFilePermission> mode) throws IOException {
    if (group == null) {
      return;
    }
    try {
      PosixFileAttributeView view =
          Files.getFileAttributeView(path, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
      if (!view.readAttributes().group().equals(group)) {
        Files.setPosixFilePermissions(
            path, mode.contains(PosixFilePermission.OWNER_EXECUTE) ? PRIVATE_FOLDER : PRIVATE_FILE);
        view.setGroup(group);
      }
      Files.setPosixFilePermissions(path, mode);
    } catch (IOException e) {
      throw new IOException(
          "%s can't be given to group %s by user %s, who has to be a member: %s"
              .formatted(path, group.getName(), self.getName(), e),
          e);
    }
  }

  /**
   * Checks who has connected to a listener.
   *
   * @param peer as the system says
   * @throws IOException where the user is not admitted
   */
  public void requirePeer(UserPrincipal peer) throws IOException {
    if (group == null && !peer.equals(self)) {
      throw otherUser(peer);
    }
  }

  /**
   * Checks who listens, before anything is told or mapped. Another user than ourselves has to own
   * the folder, and nobody else may be able to change it; and the folder has to be the group's.
   *
   * @param listener as the system says
   * @throws IOException where that is not so
   */
  public void requireListener(Path folder, UserPrincipal listener) throws IOException {
    if (listener.equals(self)) {
      return;
    }
    if (group == null) {
      throw otherUser(listener);
    }
    PosixFileAttributes found = attributes(folder);
    if (!found.owner().equals(listener)
        || !found.group().equals(group)
        || !GROUP_FOLDER.containsAll(found.permissions())) {
      throw new IOException(
          "the listener runs as user %s, and %s; expected that user, group %s, %s at most"
              .formatted(
                  listener.getName(),
                  describe(folder),
                  group.getName(),
                  PosixFilePermissions.toString(GROUP_FOLDER)));
    }
  }

  private IOException otherUser(UserPrincipal other) {
    return new IOException(
        "the other side runs as user %s; only %s is admitted"
            .formatted(other.getName(), self.getName()));
  }

  /** Tells whose a folder is, for a message about what can't be done with it. */
  public static String describe(Path folder) {
    try {
      PosixFileAttributes found = attributes(folder);
      return "folder %s belongs to user %s, group %s, with mode %s"
          .formatted(
              folder,
              found.owner().getName(),
              found.group().getName(),
              PosixFilePermissions.toString(found.permissions()));
    } catch (IOException e) {
      return "folder %s can't be looked at (%s)".formatted(folder, e);
    }
  }

  private static PosixFileAttributes attributes(Path path) throws IOException {
    return Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
  }
}
