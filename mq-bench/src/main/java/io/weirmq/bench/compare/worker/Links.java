package io.weirmq.bench.compare.worker;

import io.weirmq.bench.compare.Settings;

/** Opens the link that a process is told to use. Stateless. */
final class Links {

  /** Setting that names the class of the {@link Link.Factory}. */
  static final String FACTORY = "link";

  private Links() {}

  static Link open(Settings settings, Link.Side side, Link.Receiver receiver) throws Exception {
    Link.Factory factory =
        Class.forName(settings.text(FACTORY))
            .asSubclass(Link.Factory.class)
            .getConstructor()
            .newInstance();
    return factory.open(settings, side, receiver);
  }
}
