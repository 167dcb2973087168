package org.slipstream.benchmarks.jcstress;

import java.io.FileDescriptor;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import org.slipstream.core.doorbell.Descriptors;
import org.slipstream.core.doorbell.Doorbells;
import org.slipstream.core.doorbell.Futexes;
import org.slipstream.core.doorbell.PeerPipes;
import org.slipstream.core.doorbell.Sleeper;
import org.slipstream.core.doorbell.WindowDoorbell;
import org.slipstream.transport.Link;
import org.slipstream.transport.Reactor;

/** The real futexes of a process whose streams have no descriptors. */
final class StubDoorbells {
  private static final long PATIENCE_NS = 60_000_000_000L;

  private static final Descriptors NONE =
      new Descriptors() {
        @Override
        public int number(SelectableChannel channel) {
          throw new UnsupportedOperationException();
        }

        @Override
        public boolean isReadable(SocketChannel connection) {
          return false;
        }

        @Override
        public void keepFirstSegments(SelectableChannel listener) {
          throw new UnsupportedOperationException();
        }

        @Override
        public int number(FileDescriptor file) {
          throw new UnsupportedOperationException();
        }

        @Override
        public void neverBlock(FileDescriptor file) {
          throw new UnsupportedOperationException();
        }

        @Override
        public long thread() {
          return 0; // none sleeps
        }

        @Override
        public void signal(long thread) {
          throw new UnsupportedOperationException();
        }
      };

  /** No peer names a pipe, so none is opened or closed. */
  private static final Reactor NO_REACTOR =
      new Reactor() {
        @Override
        public SelectionKey register(SelectableChannel channel, int ops, Handler handler) {
          throw new UnsupportedOperationException();
        }

        @Override
        public void execute(Runnable task) {
          throw new UnsupportedOperationException();
        }

        @Override
        public void schedule(long delayNanos, Runnable task) {
          throw new UnsupportedOperationException();
        }

        @Override
        public boolean inReactor() {
          return false;
        }
      };

  private static final Doorbells DOORBELLS =
      new Doorbells(NONE, SelectorProvider.provider(), NO_REACTOR);
  private static final Futexes FUTEXES = ready(DOORBELLS.futexes());
  private static final PeerPipes PIPES = DOORBELLS.of(StubHost.NO_PEER, NO_REACTOR);

  private StubDoorbells() {}

  private static Futexes ready(Futexes futexes) {
    long deadline = System.nanoTime() + PATIENCE_NS;
    while (!futexes.areReady()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("no futexes: start with --enable-native-access=ALL-UNNAMED");
      }
      Thread.onSpinWait();
    }
    return futexes;
  }

  static Sleeper sleeper() {
    return new Sleeper(NONE, () -> {});
  }

  /** Rings where the peer's reader of a link sleeps. */
  static WindowDoorbell of(Link link) {
    return new WindowDoorbell(link, PIPES, FUTEXES);
  }
}
