/**
 * Everything that is the same whatever carries the bytes. Programs see {@code
 * org.slipstream.core.api}; the rest is for the modules that it is exported to.
 */
@SuppressWarnings(
    "module") // the adapters are built after the core, and javac does not know them yet
module org.slipstream.core {
  requires static java.management;
  requires static jdk.jfr;
  requires transitive org.slipstream.transport;

  exports org.slipstream.core.api;
  exports org.slipstream.core.config to
      org.slipstream.provider;
  exports org.slipstream.core.doorbell to
      org.slipstream.provider;
  exports org.slipstream.core.loop to
      org.slipstream.netty,
      org.slipstream.provider;
  exports org.slipstream.core.session to
      org.slipstream.memory,
      org.slipstream.metrics,
      org.slipstream.netty,
      org.slipstream.provider;
  exports org.slipstream.core.status to
      org.slipstream.metrics;
  exports org.slipstream.core.stream to
      org.slipstream.metrics,
      org.slipstream.netty,
      org.slipstream.provider;
  exports org.slipstream.core.wait to
      org.slipstream.netty,
      org.slipstream.provider;

  uses org.slipstream.transport.Transport;
}
