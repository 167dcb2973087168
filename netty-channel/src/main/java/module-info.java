/** Slipstream as a transport of Netty. */
module org.slipstream.netty {
  requires transitive io.netty.transport;
  requires io.netty.buffer;
  requires io.netty.common;
  requires transitive org.slipstream.provider;
  requires jdk.net;
  requires static org.jspecify;

  exports org.slipstream.netty;
}
