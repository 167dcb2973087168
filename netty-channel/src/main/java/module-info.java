/** Slipstream as a transport of Netty, and of Reactor Netty and Vert.x where they are there. */
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
  requires static transitive io.vertx.core;

  exports org.slipstream.netty;
  exports org.slipstream.netty.reactor;
  exports org.slipstream.netty.vertx;
}
