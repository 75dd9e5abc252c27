package io.weirmq.bench.compare.worker;

import io.weirmq.bench.compare.Settings;
import java.lang.reflect.InvocationTargetException;

/** Opens the link that a process is told to use. Stateless. */
final class Links {

  /** Setting that names the class of the {@link Link}. */
  static final String CLASS = "link";

  private Links() {}

  /** Opens links, see {@link Link}. */
  @FunctionalInterface
  interface Opener {
    Link open(Settings settings, Link.Side side, Link.Receiver receiver) throws Exception;
  }

  static Link open(Settings settings, Link.Side side, Link.Receiver receiver) throws Exception {
    try {
      return Class.forName(settings.text(CLASS))
          .asSubclass(Link.class)
          .getConstructor(Settings.class, Link.Side.class, Link.Receiver.class)
          .newInstance(settings, side, receiver);
    } catch (InvocationTargetException e) {
      // What went wrong is what the constructor says, in the first line of the report.
      if (e.getCause() instanceof Exception failure) {
        throw failure;
      }
      throw e;
    }
  }
}
