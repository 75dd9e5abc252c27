package io.weirmq.bench.compare.run;

/** A turn has no figures; the message says why, with the end of the processes' output. */
public final class TurnFailedException extends Exception {

  private static final long serialVersionUID = 1L;

  TurnFailedException(String message) {
    super(message);
  }
}
