package io.weirmq.server.config;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;

/** What is known of host names here. Safe for use by several threads. */
public interface HostNames {

  /** Returns the full name of this machine; empty where it has none that resolves. May block. */
  Optional<String> canonicalName();

  /** Tells whether a name or address can be resolved from here. May block. */
  boolean resolves(String host);

  /** Returns the names as the system's resolver knows them. */
  static HostNames ofSystem() {
    return new HostNames() {
      @Override
      public Optional<String> canonicalName() {
        try {
          return Optional.of(InetAddress.getLocalHost().getCanonicalHostName());
        } catch (UnknownHostException e) {
          return Optional.empty();
        }
      }

      @Override
      public boolean resolves(String host) {
        try {
          return InetAddress.getAllByName(host).length > 0;
        } catch (UnknownHostException e) {
          return false;
        }
      }
    };
  }
}
