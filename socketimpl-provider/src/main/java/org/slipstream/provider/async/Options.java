package org.slipstream.provider.async;

import java.net.SocketOption;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/** Asynchronous channels have fewer options than the channels underneath. */
final class Options {
  /** What the JDK's asynchronous channels do not know. */
  private static final Set<String> OTHERS = Set.of("SO_LINGER", "IP_TOS", "SO_OOBINLINE");

  private Options() {}

  static Set<SocketOption<?>> asynchronous(Set<SocketOption<?>> all) {
    return all.stream()
        .filter(o -> !OTHERS.contains(o.name()))
        .collect(Collectors.toUnmodifiableSet());
  }

  static void check(SocketOption<?> name, Set<SocketOption<?>> supported) {
    Objects.requireNonNull(name);
    if (!supported.contains(name)) {
      throw new UnsupportedOperationException("'" + name + "' not supported");
    }
  }
}
