package org.slipstream.provider.nio;

import java.nio.channels.spi.SelectorProvider;

/** Providers for programs that pass one explicitly, and do not leave the choice to the JDK. */
public final class SelectorProviders {
  private SelectorProviders() {}

  /**
   * A provider of channels and selectors. Any thread; does not wait.
   *
   * @param installation whose channels it opens; if it is off, the JDK's own
   * @return a new one
   */
  public static SelectorProvider of(Installation installation) {
    return new SlipstreamChannels(installation).provider();
  }
}
