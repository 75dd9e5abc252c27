package io.weirmq.client.ipc;

import java.nio.ByteBuffer;

/**
 * Room for one record in the batch that goes out next: fill it, then commit it.
 *
 * <p>Belongs to one publisher at a time and may be used again and again. Until {@link #commit()} or
 * {@link #abort()} the publisher sends nothing, so that the time between should be short; other
 * threads that want to publish wait for it. Confined to the publishing thread.
 */
public final class RecordClaim {

  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private ByteBuffer buffer = NOTHING;
  private int keyPosition;
  private int keyLength;
  private int valuePosition;
  private int valueLength;
  private @org.jspecify.annotations.Nullable IpcPublisher publisher;

  /** Makes a claim of nothing; {@link IpcPublisher#tryClaim} fills it. */
  public RecordClaim() {}

  void wrap(IpcPublisher owner, OutgoingBatch batch, int newKeyLength, int newValueLength) {
    publisher = owner;
    buffer = batch.buffer();
    keyPosition = batch.keyPosition();
    keyLength = newKeyLength;
    valuePosition = batch.valuePosition();
    valueLength = newValueLength;
  }

  /**
   * The memory in which the record lies, big-endian. Write to the key's and the value's bytes only,
   * by index; its position is nobody's. Not to be touched after {@link #commit()}.
   */
  public ByteBuffer buffer() {
    return buffer;
  }

  /** Index of the key's first byte. */
  public int keyPosition() {
    return keyPosition;
  }

  /** Length of the key in bytes, -1 where there is none. */
  public int keyLength() {
    return keyLength;
  }

  /** Index of the value's first byte. */
  public int valuePosition() {
    return valuePosition;
  }

  /** Length of the value in bytes, -1 where there is none. */
  public int valueLength() {
    return valueLength;
  }

  /**
   * Publishes the record.
   *
   * @throws IllegalStateException where nothing is claimed
   */
  public void commit() {
    take().commitClaim();
  }

  /**
   * Gives the room back; the record never was.
   *
   * @throws IllegalStateException where nothing is claimed
   */
  public void abort() {
    take().abortClaim();
  }

  private IpcPublisher take() {
    IpcPublisher owner = publisher;
    if (owner == null) {
      throw new IllegalStateException("nothing is claimed");
    }
    publisher = null;
    buffer = NOTHING;
    return owner;
  }
}
