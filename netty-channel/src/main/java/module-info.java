/** Slipstream as a transport of Netty, and of Reactor Netty where it is there. */
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"}) // Reactor has no other
module org.slipstream.netty {
  requires transitive io.netty.transport;
  requires io.netty.buffer;
  requires io.netty.common;
  requires transitive org.slipstream.provider;
  requires jdk.net;
  requires static org.jspecify;
  requires static transitive reactor.core;
  requires static transitive reactor.netty.core;

  exports org.slipstream.netty;
  exports org.slipstream.netty.reactor;
}
