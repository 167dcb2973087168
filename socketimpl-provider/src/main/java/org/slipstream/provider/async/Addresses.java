package org.slipstream.provider.async;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import org.jspecify.annotations.Nullable;

/**
 * An IPv6 address while the JVM is told to use IPv4 alone: to the JDK's other channels it is an
 * address of another type, which is unchecked; to its asynchronous ones the kernel says no.
 */
final class Addresses {
  /** Binds a channel. */
  @FunctionalInterface
  interface Binding {
    @Nullable Object bind() throws IOException;
  }

  private Addresses() {}

  static void bind(@Nullable SocketAddress local, Binding binding) throws IOException {
    try {
      binding.bind();
    } catch (UnsupportedAddressTypeException e) {
      throw refused(local, e);
    }
  }

  /** The JDK looks at the address of a listener before anything else. */
  static void check(@Nullable SocketAddress local) {
    if (local == null) {
      return;
    }
    if (!(local instanceof InetSocketAddress address)) {
      throw new UnsupportedAddressTypeException();
    }
    if (address.isUnresolved()) {
      throw new UnresolvedAddressException();
    }
  }

  /**
   * What the kernel would say of the address.
   *
   * @throws UnsupportedAddressTypeException if it really is of another type
   */
  static SocketException refused(
      @Nullable SocketAddress address, UnsupportedAddressTypeException e) {
    if (address instanceof InetSocketAddress) {
      return (SocketException) new SocketException("IPv6 protocol family unavailable").initCause(e);
    }
    throw e;
  }
}
