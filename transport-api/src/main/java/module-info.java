/** The contract between the core and the backends. */
module org.slipstream.transport {
  requires static transitive org.jspecify;

  exports org.slipstream.transport;
  exports org.slipstream.transport.slab;
}
