/** Windows behind queue pairs: InfiniBand, RoCE and iWARP, by libibverbs and librdmacm. */
module org.slipstream.rdma {
  requires transitive org.slipstream.transport;

  exports org.slipstream.rdma;

  provides org.slipstream.transport.Transport with
      org.slipstream.rdma.RdmaTransport;
}
