package org.slipstream.testkit.transport;

/** The link that tests of the core use keeps the contract that the core is tested against. */
class HeapLinkContractTest extends LinkContract {
  @Override
  protected LinkPair link() {
    HeapLink.Pair pair = HeapLink.pair(64 * 1024, 4096);
    return new LinkPair(
        new LinkPair.End(pair.a(), pair.a().window()),
        new LinkPair.End(pair.b(), pair.b().window()));
  }
}
