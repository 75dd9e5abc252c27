package io.weirmq.transport.support;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Counts accepted connections of a transport that are open or about to be, in total and per owner:
 * the remote host, or whatever a transport knows its peers by. Safe for use by several threads.
 */
public final class ConnectionLimits {

  private final int connectionsMax;
  private final int connectionsPerOwnerMax;
  private final String ownerWord;
  private final Map<String, Integer> byOwner = new HashMap<>();
  private int total;

  /**
   * Makes limits that no connection counts for yet.
   *
   * @param connectionsMax connections in total, 1 or more
   * @param connectionsPerOwnerMax connections of one owner, 1 or more
   * @param ownerWord what an owner is, in the text of a refusal: "host", "user"
   */
  public ConnectionLimits(int connectionsMax, int connectionsPerOwnerMax, String ownerWord) {
    this.connectionsMax = connectionsMax;
    this.connectionsPerOwnerMax = connectionsPerOwnerMax;
    this.ownerWord = ownerWord;
  }

  /**
   * Takes a place for a connection, to be given back by {@link #release}.
   *
   * @return null where there was one, else the limit that is reached, in words
   */
  public synchronized @Nullable String tryAcquire(String owner) {
    if (total >= connectionsMax) {
      return "limit of " + connectionsMax + " connections";
    }
    int ofOwner = byOwner.getOrDefault(owner, 0);
    if (ofOwner >= connectionsPerOwnerMax) {
      return "limit of " + connectionsPerOwnerMax + " connections per " + ownerWord;
    }
    total++;
    byOwner.put(owner, ofOwner + 1);
    return null;
  }

  /** Gives a place back. */
  public synchronized void release(String owner) {
    total--;
    byOwner.computeIfPresent(owner, (key, count) -> count == 1 ? null : count - 1);
  }
}
