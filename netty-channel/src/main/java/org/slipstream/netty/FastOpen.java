package org.slipstream.netty;

import io.netty.channel.ChannelOption;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * TCP fast-open, which the JDK does not have: the options are taken and ignored, with one warning,
 * so that programs written for epoll keep running.
 */
final class FastOpen {
  private static final InternalLogger LOG = InternalLoggerFactory.getInstance(FastOpen.class);
  private static final AtomicBoolean WARNED = new AtomicBoolean();

  private FastOpen() {}

  /** Whether the option was one of them. */
  static boolean ignored(ChannelOption<?> option) {
    if (!ChannelOption.TCP_FASTOPEN.equals(option)
        && !ChannelOption.TCP_FASTOPEN_CONNECT.equals(option)) {
      return false;
    }
    if (!WARNED.getAndSet(true)) {
      LOG.warn("{} is ignored: Slipstream connects without TCP fast-open", option);
    }
    return true;
  }
}
