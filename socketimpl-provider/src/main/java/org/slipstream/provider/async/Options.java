package org.slipstream.provider.async;

import java.io.IOException;
import java.net.SocketException;
import java.net.SocketOption;
import java.nio.channels.ClosedChannelException;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Asynchronous channels have fewer options than the channels underneath. */
final class Options {
  /** What the JDK's asynchronous channels do not know. */
  private static final Set<String> OTHERS = Set.of("SO_LINGER", "IP_TOS", "SO_OOBINLINE");

  private static final String READ_ONLY = "SO_INCOMING_NAPI_ID";

  private Options() {}

  static Set<SocketOption<?>> asynchronous(Set<SocketOption<?>> all) {
    return all.stream()
        .filter(o -> !OTHERS.contains(o.name()))
        .collect(Collectors.toUnmodifiableSet());
  }

  /** As the JDK's own, which refuse a value of another type by casting it. */
  static void check(
      SocketOption<?> name, @Nullable Object value, Set<SocketOption<?>> supported, boolean open)
      throws IOException {
    check(name, supported);
    if (!open) {
      throw new ClosedChannelException();
    }
    if (value == null) {
      throw new IllegalArgumentException("Invalid option value");
    }
    if (name.name().equals(READ_ONLY)) { // which is said before the value is looked at
      throw new SocketException("Attempt to set read only option " + READ_ONLY);
    }
    Object _ = name.type().cast(value);
  }

  static void check(SocketOption<?> name, Set<SocketOption<?>> supported) {
    Objects.requireNonNull(name);
    if (!supported.contains(name)) {
      throw new UnsupportedOperationException("'" + name + "' not supported");
    }
  }
}
