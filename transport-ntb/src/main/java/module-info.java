/** Windows behind PCIe Non-Transparent Bridges. */
module org.slipstream.ntb {
  requires transitive org.slipstream.transport;

  exports org.slipstream.ntb;

  provides org.slipstream.transport.Transport with
      org.slipstream.ntb.NtbTransport;
}
