package org.slipstream.core.stream;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slipstream.testkit.transport.HeapLink;
import org.slipstream.testkit.transport.HeapWindow;
import org.slipstream.transport.Link;
import org.slipstream.transport.ProcessId;
import org.slipstream.transport.Session;
import org.slipstream.transport.Window;

/** A session without a peer: keeps what is sent, and hands out windows in ordinary memory. */
public final class FakeSession implements Session {
  private final String name;
  private final ProcessId peer;
  private boolean onlyClaims;
  private boolean oneKernel;
  private boolean sameNetwork = true;
  private final List<ByteBuffer> sent = new ArrayList<>();
  private final List<HeapWindow> windows = new ArrayList<>();
  private boolean open = true;
  private boolean mayJoin = true;
  private @Nullable InetAddress speaksFor;
  private boolean outOfMemory;
  private boolean ending;
  private Runnable whenAWindowIsWanted = () -> {};

  public FakeSession(String name) {
    this(name, ProcessId.random());
  }

  public FakeSession(String name, ProcessId peer) {
    this.name = name;
    this.peer = peer;
  }

  /** Its peer says to be a process, and nothing shows it. */
  public void onlyClaims() {
    onlyClaims = true;
  }

  @Override
  public boolean isSamePeer(Session other) {
    return !onlyClaims && peer.equals(other.peer());
  }

  /** Its peer may ask for connections by their first segments. */
  public void onOneKernel() {
    oneKernel = true;
  }

  @Override
  public boolean isOneKernel() {
    return oneKernel;
  }

  /** Addresses mean something else at its other end. */
  public void inAnotherNetwork() {
    sameNetwork = false;
  }

  @Override
  public boolean isSameNetwork() {
    return sameNetwork;
  }

  /** The frames that were sent, oldest first. */
  public synchronized List<ByteBuffer> sent() {
    return new ArrayList<>(sent);
  }

  public synchronized List<HeapWindow> windows() {
    return new ArrayList<>(windows);
  }

  public void close() {
    open = false;
  }

  public void runOutOfMemory() {
    outOfMemory = true;
  }

  /** It is open until a window is asked for. */
  public void endWhenAWindowIsWanted() {
    ending = true;
  }

  /** Something happens between an offer's match and its acceptance. */
  public void whenAWindowIsWanted(Runnable happens) {
    whenAWindowIsWanted = happens;
  }

  /** Offers of other clients' connections are a lie. */
  public void speaksOnlyFor(InetAddress client) {
    speaksFor = client;
  }

  public void mayJoin(boolean may) {
    mayJoin = may;
  }

  @Override
  public boolean speaksFor(InetAddress client) {
    return speaksFor == null || speaksFor.equals(client);
  }

  @Override
  public boolean mayJoin() {
    return mayJoin;
  }

  @Override
  public ProcessId peer() {
    return peer;
  }

  @Override
  public String transportName() {
    return "fake";
  }

  @Override
  public synchronized void send(ByteBuffer frame) {
    byte[] copy = new byte[frame.remaining()];
    frame.get(copy);
    sent.add(ByteBuffer.wrap(copy).asReadOnlyBuffer());
  }

  @Override
  public synchronized Window allocateWindow() throws IOException {
    whenAWindowIsWanted.run();
    if (ending) {
      open = false;
      throw new IOException("over");
    }
    if (outOfMemory) {
      throw new IOException("no memory");
    }
    HeapWindow window = new HeapWindow(16 * 1024, 4096);
    windows.add(window);
    return window;
  }

  @Override
  public Link join(Window own, ByteBuffer peerDescriptor) throws IOException {
    if (peerDescriptor.remaining() != Long.BYTES) {
      throw new IOException("a descriptor of " + peerDescriptor.remaining() + " bytes");
    }
    return new HeapLink((HeapWindow) own, new HeapWindow(16 * 1024, 4096));
  }

  @Override
  public void abort(String cause) {
    open = false;
  }

  @Override
  public boolean isOpen() {
    return open;
  }

  @Override
  public String toString() {
    return name;
  }
}
