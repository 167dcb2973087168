/** Shared memory between processes of one user on one host. */
module org.slipstream.shm {
  requires transitive org.slipstream.transport;
  requires jdk.net;

  exports org.slipstream.shm;

  provides org.slipstream.transport.Transport with
      org.slipstream.shm.ShmTransport;
}
