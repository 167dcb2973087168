/** One-sided memory: regions of other processes, read and written without their processors. */
module org.slipstream.memory {
  requires static transitive org.jspecify;
  requires org.slipstream.core;

  exports org.slipstream.memory;

  uses org.slipstream.memory.MemoryDirectoryProvider;
  uses org.slipstream.transport.Transport;
}
