package io.weirmq.testkit.transport;

import io.weirmq.transport.Endpoint;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;
import org.junit.jupiter.api.Nested;

/**
 * The suite that every transport passes. A transport's module extends it:
 *
 * <pre>{@code
 * final class NettyEpollContractTest extends TransportContract {
 *   @Override
 *   protected Transport open(TransportOptions options) {
 *     return new NettyTransportProvider(NettyIo.EPOLL).open(options);
 *   }
 * }
 * }</pre>
 *
 * <p>The tests stand in groups; each group is a nested class, so that one can be run alone. They
 * use real threads and wait for events with a bound; none sleeps. A transport whose endpoints have
 * no hosts and ports overrides {@link #endpoint()} as well.
 */
public abstract class TransportContract {

  /** Opens a transport of the kind under test; the suite closes it. */
  protected abstract Transport open(TransportOptions options);

  /** Returns an endpoint where a listener can be bound, each time a free one; port 0 by default. */
  protected Endpoint endpoint() {
    return Endpoint.tcp("127.0.0.1", 0);
  }

  /** Order, sizes and contents of frames. */
  @Nested
  final class Frames extends FrameContract {
    @Override
    TransportContract subject() {
      return TransportContract.this;
    }
  }

  /** Frames that are copied at both ends. */
  @Nested
  final class Offers extends OfferContract {
    @Override
    TransportContract subject() {
      return TransportContract.this;
    }
  }

  /** Pausing, writability and cut-off. */
  @Nested
  final class FlowControl extends FlowControlContract {
    @Override
    TransportContract subject() {
      return TransportContract.this;
    }
  }

  /** Ranges of files. */
  @Nested
  final class FileSlices extends FileSliceContract {
    @Override
    TransportContract subject() {
      return TransportContract.this;
    }
  }

  /** Listeners, limits and their counters. */
  @Nested
  final class Listening extends ListenerContract {
    @Override
    TransportContract subject() {
      return TransportContract.this;
    }
  }

  /** Ends of connections and transports, in good order and by errors. */
  @Nested
  final class Lifecycle extends LifecycleContract {
    @Override
    TransportContract subject() {
      return TransportContract.this;
    }
  }
}
