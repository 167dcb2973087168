/** The adapters for the JDK's own socket interfaces. */
module org.slipstream.provider {
  requires transitive org.slipstream.core;
  requires jdk.unsupported;

  exports org.slipstream.provider.async;
  exports org.slipstream.provider.net;
  exports org.slipstream.provider.nio;
}
