/** Everything that is the same whatever carries the bytes. */
module org.slipstream.core {
  requires static java.management;
  requires static jdk.jfr;
  requires transitive org.slipstream.transport;

  exports org.slipstream.core.config;
  exports org.slipstream.core.doorbell;
  exports org.slipstream.core.loop;
  exports org.slipstream.core.ring;
  exports org.slipstream.core.rules;
  exports org.slipstream.core.session;
  exports org.slipstream.core.status;
  exports org.slipstream.core.stream;
  exports org.slipstream.core.wait;

  uses org.slipstream.transport.Transport;
}
