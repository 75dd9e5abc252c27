package io.weirmq.protocol;

/**
 * A message of the protocol: a request, a response, a header or a piece of stored data.
 *
 * <p>The implementations are generated; each has, beside what stands here, a constructor without
 * arguments (all fields at their defaults) and one that decodes: {@code (ProtocolReader, short
 * version)}. Confined to one thread at a time.
 */
public interface ApiMessage {

  /** The lowest version that exists. */
  short lowestVersion();

  /** The highest version that exists. */
  short highestVersion();

  /**
   * Encodes this message.
   *
   * <p>Records go into the writer without being copied: their buffers and file slices then belong
   * to the frame that the writer makes.
   *
   * @param version the version to write
   * @throws UnsupportedVersionException where the version does not exist
   * @throws UnsupportedFieldException where a field has a value that the version cannot carry, and
   *     that must not get lost
   */
  void write(ProtocolWriter writer, short version);
}
