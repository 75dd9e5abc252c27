package io.weirmq.transport;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Asks the system at each call, as addresses come and go. Safe for use by several threads. */
final class SystemNetwork implements LocalNetwork {

  /** A link whose target is {@code net:[number]}; the number is unique among living namespaces. */
  private static final Path NAMESPACE = Path.of("/proc/self/ns/net");

  @Override
  public Optional<String> identity() {
    try {
      return Optional.of(Files.readSymbolicLink(NAMESPACE).toString());
    } catch (IOException | UnsupportedOperationException e) {
      return Optional.empty();
    }
  }

  @Override
  public List<InetAddress> resolve(String host) throws UnknownHostException {
    return List.of(InetAddress.getAllByName(host));
  }

  @Override
  public boolean isOwn(InetAddress address) {
    try {
      return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
    } catch (SocketException e) {
      return false; // no interface can be read, so that none has it
    }
  }
}
