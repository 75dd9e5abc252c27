package io.weirmq.server.internal.admin;

/**
 * What a client may do, as bit fields: the bit of an operation is its number in the protocol.
 * Without an authorizer everything that there is may be done.
 */
public final class AuthorizedOperations {

  /** Says that the client did not ask. */
  public static final int NOT_ASKED = Integer.MIN_VALUE;

  private static final int READ = 3;
  private static final int WRITE = 4;
  private static final int CREATE = 5;
  private static final int DELETE = 6;
  private static final int ALTER = 7;
  private static final int DESCRIBE = 8;
  private static final int CLUSTER_ACTION = 9;
  private static final int DESCRIBE_CONFIGS = 10;
  private static final int ALTER_CONFIGS = 11;
  private static final int IDEMPOTENT_WRITE = 12;

  /** All operations on a topic. */
  public static final int TOPIC =
      bits(READ, WRITE, CREATE, DELETE, ALTER, DESCRIBE, DESCRIBE_CONFIGS, ALTER_CONFIGS);

  /** All operations on the cluster. */
  public static final int CLUSTER =
      bits(
          CREATE,
          ALTER,
          DESCRIBE,
          CLUSTER_ACTION,
          DESCRIBE_CONFIGS,
          ALTER_CONFIGS,
          IDEMPOTENT_WRITE);

  private AuthorizedOperations() {}

  private static int bits(int... operations) {
    int field = 0;
    for (int operation : operations) {
      field |= 1 << operation;
    }
    return field;
  }
}
