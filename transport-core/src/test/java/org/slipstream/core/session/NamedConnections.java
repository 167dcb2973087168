package org.slipstream.core.session;

import java.nio.channels.SocketChannel;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.identity.ConnectionName;
import org.slipstream.core.identity.ConnectionNames;
import org.slipstream.core.identity.SegmentHead;
import org.slipstream.core.stream.RawWriteProbe;

/** Names that a test gives. */
final class NamedConnections implements ConnectionNames {
  private final Map<SocketChannel, SegmentHead> accepted = new HashMap<>();
  private @Nullable SegmentHead others;
  private ConnectionName next = new ConnectionName(0, 0, 0);
  private int probes;
  private Runnable whenProbed = () -> {};

  /** Each accepted connection has the same first segment. */
  static NamedConnections all(SegmentHead first) {
    NamedConnections names = new NamedConnections();
    names.others = first;
    return names;
  }

  void accepted(SocketChannel tcp, SegmentHead first) {
    accepted.put(tcp, first);
  }

  /** The connection whose program writes next has this name. */
  void connected(ConnectionName name) {
    next = name;
  }

  /** What the program does while it is being searched for. */
  void whenProbed(Runnable action) {
    whenProbed = action;
  }

  int probes() {
    return probes;
  }

  @Override
  public boolean areKnown() {
    return true;
  }

  @Override
  public @Nullable SegmentHead firstSegment(SocketChannel tcp) {
    return accepted.getOrDefault(tcp, others);
  }

  @Override
  public RawWriteProbe probe(long madeAt, Consumer<ConnectionName> told) {
    probes++;
    whenProbed.run();
    return new RawWriteProbe() {
      @Override
      public boolean before(SocketChannel tcp, long bytes) {
        return true;
      }

      @Override
      public void after(long total) {
        told.accept(next);
      }
    };
  }
}
