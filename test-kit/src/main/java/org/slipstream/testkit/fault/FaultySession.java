package org.slipstream.testkit.fault;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slipstream.transport.Link;
import org.slipstream.transport.ProcessId;
import org.slipstream.transport.Session;
import org.slipstream.transport.Window;

/** A session that may be cut, and whose windows and links are not the best. */
final class FaultySession implements Session {
  private static final int DESCRIPTOR_BYTES = 32;

  /** One window of so many never grows. */
  private static final int POOR = 8;

  private static final long SMALL_COMMITTED = 512;

  private final Session works;
  private final ProcessId own;
  private final FaultyWire wire;
  private final Set<PostedLink> links = ConcurrentHashMap.newKeySet();

  FaultySession(Session works, ProcessId own, FaultyWire wire) {
    this.own = own;
    this.works = works;
    this.wire = wire;
  }

  void sever() {
    links.forEach(PostedLink::breakDown);
    works.abort("cut by a test");
  }

  @Override
  public ProcessId peer() {
    return works.peer();
  }

  @Override
  public String transportName() {
    return works.transportName();
  }

  @Override
  public void send(ByteBuffer frame) {
    works.send(frame);
  }

  @Override
  public boolean isSamePeer(Session other) {
    return works.isSamePeer(other);
  }

  @Override
  public boolean speaksFor(InetAddress client) {
    return works.speaksFor(client);
  }

  @Override
  public boolean mayJoin() {
    return works.mayJoin();
  }

  @Override
  public boolean proven() {
    return works.proven();
  }

  /** Not where stores arrive late: a doorbell that overtakes them would be heard for nothing. */
  @Override
  public boolean mayUsePipes() {
    return !wire.faults().posted() && works.mayUsePipes();
  }

  /** There and back. */
  @Override
  public long roundTripNanos() {
    return wire.faults().posted() ? 2 * wire.slowNanos() : works.roundTripNanos();
  }

  @Override
  public Window allocateWindow() throws IOException {
    Window window = works.allocateWindow();
    boolean small = wire.faults().shortWindows();
    return new FaultyWindow(window, small, small && wire.split().nextInt(POOR) == 0);
  }

  @Override
  public Link join(Window window, ByteBuffer peerDescriptor) throws IOException {
    ByteBuffer there =
        ByteBuffer.allocate(peerDescriptor.remaining()).put(peerDescriptor.duplicate()).flip();
    Link link = works.join(((FaultyWindow) window).inner, peerDescriptor);
    if (!wire.faults().posted()) {
      return link;
    }
    ByteBuffer here = ByteBuffer.allocate(DESCRIPTOR_BYTES);
    window.descriptor(here);
    PostedLink posted =
        new PostedLink(
            link, wire, new Place(own, here.flip()), new Place(works.peer(), there), links::remove);
    links.add(posted);
    return posted;
  }

  @Override
  public void abort(String cause) {
    works.abort(cause);
  }

  @Override
  public boolean isOpen() {
    return works.isOpen();
  }

  private record FaultyWindow(Window inner, boolean small, boolean poor) implements Window {
    @Override
    public MemorySegment control() {
      return inner.control();
    }

    @Override
    public MemorySegment ring() {
      return inner.ring();
    }

    @Override
    public long committedBytes() {
      return small ? Math.min(SMALL_COMMITTED, inner.committedBytes()) : inner.committedBytes();
    }

    @Override
    public void grow(long bytes) throws IOException {
      if (poor) {
        throw new IOException("no memory left, says a test");
      }
      if (bytes > inner.committedBytes()) {
        inner.grow(bytes);
      }
    }

    @Override
    public boolean hasPlenty() {
      return inner.hasPlenty();
    }

    @Override
    public void descriptor(ByteBuffer out) {
      inner.descriptor(out);
    }

    @Override
    public void free() {
      inner.free();
    }

    @Override
    public void quarantine() {
      inner.quarantine();
    }
  }
}
