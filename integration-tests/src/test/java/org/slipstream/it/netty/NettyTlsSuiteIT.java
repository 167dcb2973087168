package org.slipstream.it.netty;

/** The half of {@link NettySuiteIT} that is about TLS: in a class of its own, to run beside it. */
class NettyTlsSuiteIT extends NettySuiteIT {
  @Override
  boolean takes(Class<?> test) {
    return isOfTls(test);
  }

  @Override
  int leastPassed() {
    return 140;
  }
}
