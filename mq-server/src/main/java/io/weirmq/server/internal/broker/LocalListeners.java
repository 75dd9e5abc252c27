package io.weirmq.server.internal.broker;

import io.weirmq.server.config.ListenerSettings.LocalListenerSetting;
import io.weirmq.server.config.SharedMemoryKeys;
import io.weirmq.server.internal.request.ClientConnections;
import io.weirmq.server.internal.request.ListenerNames;
import io.weirmq.transport.Endpoint;
import io.weirmq.transport.Listener;
import io.weirmq.transport.LocalEndpoints;
import io.weirmq.transport.Transport;
import io.weirmq.transport.TransportOptions;
import io.weirmq.transport.TransportProviders;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listeners on shared memory, and what tells clients of this host that they are there.
 *
 * <p>Opened after the listeners that have ports, as clients find them by a port. A listener that
 * nobody has asked for is left out with one warning where it can't be had.
 *
 * <p>Safe for use by several threads, but for {@link #close()}.
 */
final class LocalListeners implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(LocalListeners.class);

  static final String SCHEME = "shm";

  private final LocalEndpoints places;
  private final Map<String, Listener> listeners = new LinkedHashMap<>();
  private final List<LocalEndpoints.Publication> publications = new ArrayList<>();

  /** The ports for which an endpoint is published. */
  private final List<Endpoint> published = new ArrayList<>();

  private @Nullable String toldFailure;
  private @Nullable Transport transport;
  private @Nullable Path defaultFolder;

  private LocalListeners(LocalEndpoints places) {
    this.places = places;
  }

  /**
   * Opens what is set.
   *
   * @param ports the bound endpoints that have ports, by listener name, at least one
   * @throws IOException where a listener that was asked for can't be had
   */
  static LocalListeners open(
      List<LocalListenerSetting> settings,
      TransportOptions options,
      LocalEndpoints places,
      Map<String, Endpoint> ports,
      ClientConnections connections)
      throws IOException {
    LocalListeners opened = new LocalListeners(places);
    try {
      for (LocalListenerSetting setting : settings) {
        opened.listen(setting, options, ports, connections);
      }
      opened.publish(ports, settings.stream().allMatch(setting -> setting.folder().isPresent()));
      return opened;
    } catch (IOException | RuntimeException e) {
      opened.close();
      if (settings.stream().anyMatch(LocalListenerSetting::required)) {
        throw new IOException("shared memory can't be used: " + reason(e), e);
      }
      LOG.warn(
          "Clients of this host are served by port alone, as shared memory can't be used: {}."
              + " {}=false says that this is meant",
          reason(e),
          SharedMemoryKeys.ENABLE.name());
      LOG.debug("Shared memory can't be used", e);
      opened.retract(ports);
      return new LocalListeners(places);
    }
  }

  private void listen(
      LocalListenerSetting setting,
      TransportOptions options,
      Map<String, Endpoint> ports,
      ClientConnections connections)
      throws IOException {
    if (setting.folder().isEmpty()) {
      places.createRuntimeFolder(); // refuses one that others could change
    }
    Map.Entry<String, Endpoint> first = ports.entrySet().iterator().next();
    Endpoint endpoint = endpoint(setting.folder(), first.getValue().port());
    Transport open = transport;
    if (open == null) {
      open = TransportProviders.open(SCHEME, options);
      transport = open;
    }
    ListenerNames names = new ListenerNames(setting.name(), first.getKey());
    listeners.put(setting.name(), open.listen(endpoint, connections.of(names)));
    if (setting.folder().isEmpty()) {
      defaultFolder = Path.of(endpoint.host());
    }
  }

  private Endpoint endpoint(Optional<String> folder, int port) {
    return folder
        .map(path -> Endpoint.ofPath(SCHEME, path))
        .orElseGet(() -> places.defaultEndpoint(port));
  }

  /** Where all folders are named, clients can be told them, and this may fail. */
  private void publish(Map<String, Endpoint> ports, boolean optional) throws IOException {
    if (listeners.isEmpty()) {
      retract(ports);
      return;
    }
    Endpoint first = listeners.values().iterator().next().endpoint();
    try {
      for (Endpoint port : ports.values()) {
        publications.add(places.publish(port.host(), port.port(), first));
        published.add(port);
      }
    } catch (IOException e) {
      if (!optional) {
        throw e;
      }
      LOG.warn(
          "Clients have to be told {}, as it can't be published in {}: {}",
          first,
          places.runtimeFolder(),
          reason(e));
      retract(ports);
    }
  }

  /** Takes back what a killed broker has left for ports that are this one's now. */
  private void retract(Map<String, Endpoint> ports) {
    for (Endpoint port : ports.values()) {
      try {
        places.retract(port.host(), port.port());
      } catch (IOException e) {
        LOG.warn(
            "Clients of port {} may be led to nobody by what a killed broker has left in {}: {}",
            port.port(),
            places.runtimeFolder(),
            reason(e));
      }
    }
  }

  /**
   * Makes anew what somebody has removed: the folders of listeners, and what is published for
   * ports. Open connections don't need them, but clients that come now do. What can't be made keeps
   * nothing else from it.
   */
  synchronized void look() {
    List<String> failures = new ArrayList<>();
    for (Listener listener : listeners.values()) {
      attempt(failures, () -> renew(listener)); // with the folders above it, if it may
    }
    attempt(failures, this::makeRuntimeFolder);
    for (int i = 0; i < publications.size(); i++) {
      int index = i;
      attempt(failures, () -> publishAgain(index));
    }
    tell(failures.isEmpty() ? null : String.join("; ", failures));
  }

  /** Something that the file system may refuse. */
  @FunctionalInterface
  private interface Step {
    void run() throws IOException;
  }

  private static void attempt(List<String> failures, Step step) {
    try {
      step.run();
    } catch (IOException | RuntimeException e) {
      failures.add(reason(e));
      LOG.debug("What was removed can't be made anew", e);
    }
  }

  private void makeRuntimeFolder() throws IOException {
    if (defaultFolder != null && Files.notExists(places.runtimeFolder())) {
      places.createRuntimeFolder();
    }
  }

  private static void renew(Listener listener) throws IOException {
    if (listener.renew()) {
      LOG.warn("{} was removed while the broker ran, and is made anew", listener.endpoint());
    }
  }

  private void publishAgain(int index) throws IOException {
    if (Files.notExists(publications.get(index).file())) {
      Endpoint port = published.get(index);
      Endpoint first = listeners.values().iterator().next().endpoint();
      publications.set(index, places.publish(port.host(), port.port(), first));
    }
  }

  /** Tells a failure once, until it is another one or has passed. */
  private void tell(@Nullable String failure) {
    if (failure != null && !failure.equals(toldFailure)) {
      LOG.warn(
          "Clients of this host that come now are served by port alone, as what was removed"
              + " while the broker ran can't be made anew: {}. It is tried again; where the"
              + " system removes the folder with the user's last session, 'loginctl"
              + " enable-linger' for that user prevents it",
          failure);
    }
    toldFailure = failure;
  }

  /** The listeners by name, in the order of the configuration. */
  Map<String, Listener> listeners() {
    return Collections.unmodifiableMap(listeners);
  }

  /** Takes the publications back and accepts no further connections. */
  synchronized void stopAccepting() {
    for (LocalEndpoints.Publication publication : publications) {
      try {
        publication.close();
      } catch (IOException e) {
        LOG.warn("{} can't be removed; clients will find nobody there", publication.file(), e);
      }
    }
    publications.clear();
    published.clear();
    listeners.values().forEach(Listener::close);
    removeDefaultFolder();
  }

  /** Closes listeners and connections. */
  @Override
  public void close() {
    stopAccepting();
    if (transport != null) {
      transport.close();
    }
  }

  /** The default folder has the port in its name, so that it is of no use to anybody else. */
  private void removeDefaultFolder() {
    Path folder = defaultFolder;
    defaultFolder = null;
    if (folder == null) {
      return;
    }
    try {
      Files.deleteIfExists(folder);
    } catch (DirectoryNotEmptyException e) {
      LOG.debug("Folder {} has files of others", folder, e);
    } catch (IOException e) {
      LOG.warn("Folder {} can't be removed", folder, e);
    }
  }

  private static String reason(Exception e) {
    boolean bare = e instanceof FileSystemException refused && refused.getReason() == null;
    return bare || e.getMessage() == null ? e.toString() : e.getMessage();
  }
}
