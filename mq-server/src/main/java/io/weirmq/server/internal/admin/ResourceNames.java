package io.weirmq.server.internal.admin;

import io.weirmq.protocol.ErrorCode;
import java.util.HashSet;
import java.util.Set;

/** The resources that one request names, each of which it may name once. Confined to one thread. */
public final class ResourceNames {

  /** The outcome for a resource that is named twice. */
  public static final AdminError TWICE =
      new AdminError(ErrorCode.INVALID_REQUEST, "Each resource must appear at most once.");

  private final Set<Resource> seen = new HashSet<>();
  private final Set<Resource> twice = new HashSet<>();

  /** Makes an empty set. */
  public ResourceNames() {}

  /** Adds a resource. */
  public void add(byte type, String name) {
    Resource resource = new Resource(type, name);
    if (!seen.add(resource)) {
      twice.add(resource);
    }
  }

  /** Whether a resource was added more than once. */
  public boolean isTwice(byte type, String name) {
    return twice.contains(new Resource(type, name));
  }

  private record Resource(byte type, String name) {}
}
