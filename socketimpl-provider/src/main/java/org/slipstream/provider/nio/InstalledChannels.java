package org.slipstream.provider.nio;

import java.nio.channels.spi.SelectorProvider;
import org.slipstream.provider.older.OpenedChannels;

/**
 * Makes the channels of the provider that the JDK makes for this process, which names this class.
 */
final class InstalledChannels implements OpenedChannels.Maker {
  InstalledChannels() {}

  @Override
  public OpenedChannels make(SelectorProvider provider) {
    return new SlipstreamChannels(provider, Installation.get());
  }
}
