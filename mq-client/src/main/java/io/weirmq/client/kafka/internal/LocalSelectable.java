package io.weirmq.client.kafka.internal;

import io.weirmq.client.kafka.internal.EndpointRouter.Route;
import io.weirmq.transport.Endpoint;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.apache.kafka.common.network.ChannelState;
import org.apache.kafka.common.network.KafkaChannel;
import org.apache.kafka.common.network.NetworkReceive;
import org.apache.kafka.common.network.NetworkSend;
import org.apache.kafka.common.network.Selectable;
import org.apache.kafka.common.network.Selector;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The network of one of Kafka's clients: Kafka's own {@link Selector} for the brokers that are
 * reached over TCP, {@link LocalConnections} for the others. Which of the two, {@link
 * EndpointRouter} says at each connect.
 *
 * <p>A poll does the work of the local transport itself and sleeps in it. Where answers are awaited
 * over TCP it sleeps in Kafka's Selector, so that what happens there wakes it, and a thread does
 * the transport's work; see {@link TransportLoop} and {@link TcpActivity}.
 *
 * <p>It takes the place of a Selector that may already be in use: connections that were begun there
 * are taken over at the first poll, see {@link #adopt}.
 *
 * <p>Confined to the client's polling thread, except for {@link #wakeup()}.
 */
public final class LocalSelectable implements Selectable {

  private static final Logger LOG = LoggerFactory.getLogger(LocalSelectable.class);

  /** Kafka's client numbers bootstrap addresses downwards from -1. */
  private static final String BOOTSTRAP_PREFIX = "-";

  /** Idle connections are looked for so often within the time that makes them idle. */
  private static final int IDLE_CHECKS = 8;

  /** Between two looks at connections over TCP from which nothing is awaited. */
  private static final long TCP_LOOK_NANOS = 100_000_000L;

  /** How long a sleep may last while there are such connections. */
  private static final long TCP_SLEEP_MILLIS_MAX = 1_000;

  private final Selectable tcp;
  private final EndpointRouter router;
  private final LocalConnections local;
  private final Inbox inbox;
  private final long idleNanos;
  private final LongSupplier nanoClock;
  private final TcpActivity activity;
  private volatile boolean adopted;
  private volatile boolean sleepsInTcp = true;
  private boolean tcpPolled = true;
  private boolean fallbackTold;
  private String lastWarning = "";
  private long lastIdleCheckNanos;
  private long lastTcpPollNanos;

  /**
   * Makes the network.
   *
   * @param tcp Kafka's own; closed with this one
   * @param local closed with this one
   * @param idleNanos after which a connection without traffic is closed; negative for never
   * @param nanoClock monotonic
   */
  public LocalSelectable(
      Selectable tcp,
      EndpointRouter router,
      LocalConnections local,
      long idleNanos,
      LongSupplier nanoClock) {
    this.tcp = tcp;
    this.router = router;
    this.local = local;
    this.inbox = new Inbox(this::wakeSleeper);
    this.activity = new TcpActivity(tcp::isChannelReady);
    this.idleNanos = idleNanos;
    this.nanoClock = nanoClock;
    this.lastIdleCheckNanos = nanoClock.getAsLong();
    this.lastTcpPollNanos = lastIdleCheckNanos;
    local.sensors().countConnections(() -> activity.count() + local.count());
  }

  @Override
  public void connect(String id, InetSocketAddress address, int sendBytes, int receiveBytes)
      throws IOException {
    Route route = router.route(address);
    if (route instanceof Route.Tcp way) {
      way.reason().ifPresent(reason -> tellFallback(address, reason));
      connectTcp(id, address, sendBytes, receiveBytes);
    } else if (route instanceof Route.Local way) {
      connectLocal(id, address, way, sendBytes, receiveBytes);
    } else if (route instanceof Route.None none) {
      unreachable(id, address, none.reason());
    }
  }

  private void connectTcp(String id, InetSocketAddress address, int sendBytes, int receiveBytes)
      throws IOException {
    tcp.connect(id, address, sendBytes, receiveBytes);
    activity.opened(id);
  }

  private void connectLocal(
      String id, InetSocketAddress address, Route.Local way, int sendBytes, int receiveBytes) {
    Endpoint endpoint = way.endpoint();
    local.connect(
        id,
        address,
        endpoint,
        inbox,
        (connection, cause) -> {
          if (!way.orTcp()) {
            unreachable(id, address, String.valueOf(cause.getMessage()));
            return;
          }
          tellFallback(address, String.valueOf(cause.getMessage()));
          try {
            connectTcp(id, address, sendBytes, receiveBytes);
          } catch (IOException e) {
            LOG.warn("Error connecting to node {}", id, e);
            local.reportDisconnected(id, notConnected(address));
          }
        });
  }

  private void unreachable(String id, InetSocketAddress address, String reason) {
    String warning = address + ": " + reason;
    if (!warning.equals(lastWarning)) {
      lastWarning = warning;
      LOG.warn(
          "broker {} at {} can't be reached through shared memory, and transport=shm allows nothing"
              + " else: {}",
          id,
          address,
          reason);
    }
    // As an event of the next poll: Kafka's client does not expect an end while it connects.
    inbox.add(() -> local.reportDisconnected(id, notConnected(address)));
  }

  private void tellFallback(InetSocketAddress address, String reason) {
    if (!fallbackTold) {
      fallbackTold = true;
      LOG.info(
          "broker {} of this host is reached over TCP, not through shared memory: {}. Further cases"
              + " are not logged",
          address,
          reason);
    }
  }

  private static ChannelState notConnected(InetSocketAddress address) {
    return new ChannelState(ChannelState.State.NOT_CONNECTED, address.toString());
  }

  @Override
  public void poll(long timeoutMillis) throws IOException {
    long now = nanoClock.getAsLong();
    local.beginPoll(now);
    tcpPolled = false;
    if (!adopted) {
      adopt(now);
    }
    TransportLoop loop = loopToRun(now);
    if (loop != null) {
      loop.poll(0);
    }
    // Responses first: a request is let go of before its answer comes, and Kafka's client must not
    // hear of the answer a poll before it hears that the request has left.
    inbox.drain();
    local.collectCompleted();
    if (loop != null) {
      loop = loopToRun(now); // a local connect that failed may just have begun one over TCP
    }
    if (loop != null && !activity.isEmpty() && now - lastTcpPollNanos >= TCP_LOOK_NANOS) {
      pollTcp(0);
    }
    sleepsInTcp = loop == null; // before the sleep is announced to those who wake
    if (timeoutMillis > 0 && !hasNews() && inbox.beginSleep()) {
      try {
        sleep(loop, timeoutMillis);
      } finally {
        inbox.endSleep();
      }
      inbox.drain();
      local.collectCompleted();
    } else if (loop == null && !activity.isEmpty()) {
      pollTcp(0);
    }
    inbox.awake();
    closeIdle(now);
  }

  /**
   * Returns the transport's loop where this thread is to run it, so that it sleeps there. It can't
   * while answers are awaited over TCP, for which it sleeps in Kafka's Selector: then the loop has
   * a thread for the time.
   */
  private @Nullable TransportLoop loopToRun(long now) {
    TransportLoop loop = local.loop();
    if (loop == null) {
      return null;
    }
    if (activity.isActive(now)) {
      loop.lend();
      return null;
    }
    loop.takeBack();
    return loop;
  }

  private void sleep(@Nullable TransportLoop loop, long timeoutMillis) throws IOException {
    if (loop == null) {
      pollTcp(timeoutMillis);
    } else {
      // A quiet connection can still end; Kafka hears of that a little later.
      loop.poll(activity.isEmpty() ? timeoutMillis : Math.min(timeoutMillis, TCP_SLEEP_MILLIS_MAX));
    }
  }

  /** Ends the sleep of the polling thread where it sleeps. */
  private void wakeSleeper() {
    TransportLoop loop = local.loop();
    if (sleepsInTcp || loop == null) {
      tcp.wakeup();
    } else {
      loop.wakeup();
    }
  }

  private boolean hasNews() {
    return local.hasNews()
        || (tcpPolled
            && !(tcp.completedSends().isEmpty()
                && tcp.completedReceives().isEmpty()
                && tcp.connected().isEmpty()
                && tcp.disconnected().isEmpty()));
  }

  private void pollTcp(long timeoutMillis) throws IOException {
    tcpPolled = true;
    tcp.poll(timeoutMillis);
    lastTcpPollNanos = nanoClock.getAsLong();
    tcp.completedReceives().forEach(each -> activity.received(each.source()));
    if (!tcp.disconnected().isEmpty()) {
      activity.closed(tcp.disconnected().keySet());
    }
  }

  private void closeIdle(long now) {
    if (idleNanos >= 0 && now - lastIdleCheckNanos >= idleNanos / IDLE_CHECKS) {
      lastIdleCheckNanos = now;
      local.closeIdle(idleNanos);
    }
  }

  /**
   * Takes over what the client has begun before this took the place of its Selector: a client's
   * thread starts in its constructor and may connect at once. Connections that are still being made
   * are begun again here, without the client noticing. One that is made already is closed, and the
   * client connects again; only one to a bootstrap address stays where TCP is allowed, as it is not
   * used for long and ends by being idle.
   */
  private void adopt(long now) throws IOException {
    adopted = true;
    if (!(tcp instanceof Selector selector)) {
      return;
    }
    activity.touch(now); // there may be requests under way that were not counted
    for (KafkaChannel channel : List.copyOf(selector.channels())) {
      String id = channel.id();
      if (channel.socketAddress() == null) {
        activity.opened(id);
        continue;
      }
      InetSocketAddress address =
          new InetSocketAddress(channel.socketAddress(), channel.socketPort());
      boolean bootstrap = id.startsWith(BOOTSTRAP_PREFIX) && !router.isSharedMemoryOnly();
      if (router.route(address) instanceof Route.Tcp way) {
        way.reason().ifPresent(reason -> tellFallback(address, reason));
        activity.opened(id);
      } else if (channel.isConnected() && bootstrap) {
        activity.opened(id);
      } else if (channel.isConnected()) {
        selector.close(id);
        local.reportDisconnected(id, ChannelState.LOCAL_CLOSE);
      } else {
        selector.close(id);
        connect(id, address, USE_DEFAULT_BUFFER_SIZE, USE_DEFAULT_BUFFER_SIZE);
      }
    }
  }

  @Override
  public void wakeup() {
    inbox.wakeUp();
    if (!adopted) {
      tcp.wakeup(); // the thread may still sleep in a poll of its own
    }
  }

  @Override
  public void send(NetworkSend send) {
    if (local.has(send.destinationId())) {
      local.send(send);
    } else {
      tcp.send(send);
      activity.sent(send.destinationId());
    }
  }

  @Override
  public void close(String id) {
    if (local.has(id)) {
      local.close(id);
    } else {
      tcp.close(id);
      activity.closed(id);
    }
  }

  @Override
  public void close() {
    try {
      local.close();
    } finally {
      tcp.close();
    }
  }

  @Override
  public boolean isChannelReady(String id) {
    return local.has(id) ? local.isReady(id) : tcp.isChannelReady(id);
  }

  @Override
  public List<NetworkSend> completedSends() {
    return join(local.completedSends(), tcpPolled ? tcp.completedSends() : List.of());
  }

  @Override
  public Collection<NetworkReceive> completedReceives() {
    Collection<NetworkReceive> others = tcpPolled ? tcp.completedReceives() : List.of();
    if (others.isEmpty()) {
      return local.completedReceives();
    }
    return join(local.completedReceives(), List.copyOf(others));
  }

  @Override
  public List<String> connected() {
    return join(local.connected(), tcpPolled ? tcp.connected() : List.of());
  }

  @Override
  public Map<String, ChannelState> disconnected() {
    Map<String, ChannelState> others = tcpPolled ? tcp.disconnected() : Map.of();
    if (others.isEmpty()) {
      return local.disconnected();
    }
    Map<String, ChannelState> all = new HashMap<>(others);
    all.putAll(local.disconnected());
    return all;
  }

  @Override
  public void mute(String id) {
    if (local.has(id)) {
      local.mute(id, true);
    } else {
      tcp.mute(id);
    }
  }

  @Override
  public void unmute(String id) {
    if (local.has(id)) {
      local.mute(id, false);
    } else {
      tcp.unmute(id);
    }
  }

  @Override
  public void muteAll() {
    local.muteAll(true);
    tcp.muteAll();
  }

  @Override
  public void unmuteAll() {
    local.muteAll(false);
    tcp.unmuteAll();
  }

  private static <T> List<T> join(List<T> ours, List<T> others) {
    if (others.isEmpty()) {
      return ours;
    }
    if (ours.isEmpty()) {
      return others;
    }
    List<T> all = new ArrayList<>(ours);
    all.addAll(others);
    return all;
  }
}
