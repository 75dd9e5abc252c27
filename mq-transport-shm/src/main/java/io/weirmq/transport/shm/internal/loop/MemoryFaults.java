package io.weirmq.transport.shm.internal.loop;

/**
 * Faults of mapped memory that the JVM knows of and has not reported. Confined to one thread.
 *
 * <p>An access to memory that is not there is no error at once: HotSpot notes it for the thread and
 * raises an {@link InternalError} where compiled or interpreted code next comes out of a call into
 * the JVM itself, whatever code that is. To make an array of several dimensions whose lengths are
 * not constant is such a call in the interpreter and both compilers, and takes some 30 ns where it
 * is compiled.
 */
public final class MemoryFaults {

  /** Zero; volatile, so that no compiler takes it for a constant and the call away. */
  private volatile int length;

  /** Volatile so that the array is really made. */
  @SuppressWarnings("unused")
  private volatile byte[][] made = new byte[0][];

  /** Creates a place to ask at. */
  public MemoryFaults() {}

  /**
   * Has the JVM report now what it knows of this thread.
   *
   * @throws InternalError the fault, which is reported no more then
   */
  public void report() {
    made = new byte[length][length];
  }
}
