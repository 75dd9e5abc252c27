package io.weirmq.storage.internal.checkpoint;

import java.util.List;

/**
 * What was read from a small state file. Immutable.
 *
 * <p>A damaged file is a normal thing to meet after a power cut, so damage is a value: whatever
 * could be read stands in {@code value}, and the caller decides what to rebuild.
 *
 * @param value what could be read; the kind's empty value where nothing could
 * @param present whether the file exists
 * @param damages one sentence per thing that was dropped, with the file's name; empty where the
 *     file is whole or missing
 */
public record StateReading<T>(T value, boolean present, List<String> damages) {

  /** Copies the list. */
  public StateReading {
    damages = List.copyOf(damages);
  }

  /** Whether something was dropped. */
  public boolean isDamaged() {
    return !damages.isEmpty();
  }

  /** Whether the file exists and nothing of it was dropped. */
  public boolean isWhole() {
    return present && damages.isEmpty();
  }
}
