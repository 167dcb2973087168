package org.slipstream.ntb;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.Platform;

/**
 * A file that two nodes map: the BAR of a board or of QEMU's ivshmem, a DAX device, or, for a try,
 * a file in a tmpfs. One process of each node uses it. There are no interrupts: a thread looks for
 * messages, every millisecond while there is something to do and less often otherwise. Bytes of
 * streams do not depend on that, their reader is woken by the TCP connection.
 */
final class FileFabric implements Fabric {
  private static final long POLL_NS = 1_000_000;
  private static final long IDLE_POLL_NS = 20_000_000;

  /** For so long a beat is looked for, which comes once in {@link #IDLE_POLL_NS}. */
  private static final int BEATING_LOOKS = 20;

  private static final long BEATING_LOOK_MS = 50;

  /** Misses before it polls less often. */
  private static final int RESTLESS_POLLS = 2_000;

  private final Path path;
  private final int node;
  private final int peerNode;
  private final FileChannel channel;
  private final MemorySegment own;
  private final MemorySegment peer;

  /** Guarded by this. */
  private final List<FileExported> exports = new ArrayList<>();

  private long serials;

  /** Sending; guarded by peer. */
  private long peerEpoch;

  private long sent;

  /** Receiving: one thread. */
  private long received;

  private long senderEpoch;

  private long beats;
  private final Heartbeat heartbeat = new Heartbeat();

  /** Changes only in tests. */
  private volatile long epoch;

  private int misses;
  private volatile boolean closed;

  private FileFabric(Path path, int node, int peerNode) throws IOException {
    if (!Platform.here().ordersDeviceStores()) {
      throw new IOException(
          path + ": mapped windows need x86-64; elsewhere Java can not order stores into a device");
    }
    this.path = path;
    this.node = node;
    this.peerNode = peerNode;
    WindowFile file = WindowFile.of(path);
    this.channel = file.open();
    long half = half(file);
    long ownStart = ownStart(file, node, peerNode);
    lock(ownStart, half);
    MemorySegment all = file.map(channel);
    this.own = all.asSlice(ownStart, half);
    this.peer = all.asSlice(half - ownStart, half);
    this.epoch = takeHalf();
  }

  /** For tests: as if another process took our half. */
  void restart() {
    epoch = takeHalf();
    sent = 0;
    peerEpoch = 0;
    received = 0;
    senderEpoch = 0;
  }

  /** Opens one. */
  static FileFabric open(Path path, int node, int peerNode) throws IOException {
    return new FileFabric(path, node, peerNode);
  }

  /**
   * Whether a process of the other node uses the file at this moment; takes and changes nothing.
   * What it maps stays mapped.
   */
  static boolean hasPeer(Path path, int node, int peerNode)
      throws IOException, InterruptedException {
    WindowFile file = WindowFile.of(path);
    MemorySegment own =
        file.map(file.open()).asSlice(ownStart(file, node, peerNode), FileLayout.ENTRIES);
    long before = FileLayout.getLong(own, FileLayout.BEAT);
    for (int look = 0; look < BEATING_LOOKS; look++) {
      Thread.sleep(BEATING_LOOK_MS);
      if (FileLayout.getLong(own, FileLayout.BEAT) != before) {
        return true;
      }
    }
    return false;
  }

  private static long half(WindowFile file) {
    return file.bytes() / 2 & -FileLayout.ENTRIES;
  }

  private static long ownStart(WindowFile file, int node, int peerNode) {
    return node < peerNode ? 0 : half(file);
  }

  private void lock(long start, long bytes) throws IOException {
    try {
      FileLock lock = channel.tryLock(start, bytes, false);
      if (lock == null) {
        throw new IOException(path + " is used by another process of this node");
      }
    } catch (OverlappingFileLockException e) {
      throw new IOException(path + " is used by this process already", e);
    }
  }

  private long takeHalf() {
    FileLayout.putLong(own, FileLayout.EPOCH, 0);
    VarHandle.fullFence();
    own.asSlice(FileLayout.ENTRIES, FileLayout.MESSAGES - FileLayout.ENTRIES).fill((byte) 0);
    FileLayout.putLong(own, 0, FileLayout.MAGIC);
    FileLayout.putLong(own, FileLayout.TAKEN, 0);
    FileLayout.putLong(peer, FileLayout.TAKEN, 0);
    FileLayout.putLong(own, FileLayout.BEAT, 0);
    FileLayout.putLong(peer, FileLayout.BEAT, 0);
    long fresh = ThreadLocalRandom.current().nextLong(1L << 32, Long.MAX_VALUE / 2);
    FileLayout.putLong(peer, FileLayout.SENDER, fresh);
    VarHandle.fullFence();
    FileLayout.putLong(own, FileLayout.EPOCH, fresh);
    VarHandle.fullFence();
    return fresh;
  }

  @Override
  public String via() {
    return path.toString();
  }

  @Override
  public int node() {
    return node;
  }

  // -- segments --------------------------------------------------------------------------------

  @Override
  public synchronized @Nullable Exported export(int segmentId, long bytes, byte[] content)
      throws IOException {
    long size = bytes + FileLayout.ENTRIES - 1 & -FileLayout.ENTRIES;
    long now = FileLayout.getLong(peer, FileLayout.EPOCH);
    exports.removeIf(e -> e.isReusable(now));
    if (exports.stream().anyMatch(e -> e.isOpen() && e.id() == segmentId)) {
      return null;
    }
    long at = FileLayout.SEGMENTS;
    int place = 0; // they are sorted by offset
    while (place < exports.size() && exports.get(place).offset() - at < size) {
      at = exports.get(place).offset() + exports.get(place).size();
      place++;
    }
    int entry = freeEntry();
    if (own.byteSize() - at < size || entry < 0) {
      throw new IOException(path + " is too small for more windows");
    }
    MemorySegment memory = own.asSlice(at, size);
    memory.fill((byte) 0);
    MemorySegment.copy(content, 0, memory, ValueLayout.JAVA_BYTE, 0, content.length);
    FileExported exported =
        new FileExported(this::withdraw, segmentId, entry, at, memory, content.length > 0);
    exports.add(place, exported);
    long base = FileLayout.entry(entry);
    FileLayout.putInt(own, base, segmentId);
    FileLayout.putLong(own, base + FileLayout.ENTRY_OFFSET, at);
    FileLayout.putLong(own, base + FileLayout.ENTRY_SIZE, bytes);
    FileLayout.putLong(own, base + FileLayout.ENTRY_SERIAL, ++serials);
    VarHandle.fullFence();
    FileLayout.putInt(own, base + FileLayout.ENTRY_STATE, 1);
    VarHandle.fullFence();
    return exported;
  }

  private int freeEntry() {
    for (int i = 0; i < FileLayout.MAX_ENTRIES; i++) {
      if (FileLayout.getInt(own, FileLayout.entry(i) + FileLayout.ENTRY_STATE) == 0) {
        return i;
      }
    }
    return -1;
  }

  /** No peer finds it any more; returns the peer process that may still store into it. */
  private synchronized long withdraw(FileExported exported) {
    FileLayout.putInt(own, FileLayout.entry(exported.entry()) + FileLayout.ENTRY_STATE, 0);
    VarHandle.fullFence();
    return FileLayout.getLong(peer, FileLayout.EPOCH);
  }

  @Override
  public @Nullable Imported connect(int remote, int segmentId, boolean bulk) throws IOException {
    long now = FileLayout.getLong(peer, FileLayout.EPOCH);
    if (remote != peerNode || now == 0 || FileLayout.getLong(peer, 0) != FileLayout.MAGIC) {
      return null;
    }
    for (int i = 0; i < FileLayout.MAX_ENTRIES; i++) {
      long base = FileLayout.entry(i);
      if (FileLayout.getInt(peer, base + FileLayout.ENTRY_STATE) == 1
          && FileLayout.getInt(peer, base) == segmentId) {
        long offset = FileLayout.getLong(peer, base + FileLayout.ENTRY_OFFSET);
        long bytes = FileLayout.getLong(peer, base + FileLayout.ENTRY_SIZE);
        if (offset < FileLayout.SEGMENTS || bytes <= 0 || bytes > peer.byteSize() - offset) {
          throw new IOException("The peer's segment lies outside of " + path);
        }
        if (offset % FileLayout.ALIGNMENT != 0) {
          throw new IOException("The peer's segment begins in the middle of a word of " + path);
        }
        long serial = FileLayout.getLong(peer, base + FileLayout.ENTRY_SERIAL);
        return new FileImported(peer, now, base, serial, peer.asSlice(offset, bytes), bulk);
      }
    }
    return null;
  }

  // -- messages --------------------------------------------------------------------------------

  @Override
  public int inbox() {
    return node;
  }

  @Override
  public boolean send(int to, int number, byte[] message) {
    if (to != peerNode || message.length > MESSAGE_BYTES) {
      return false;
    }
    synchronized (peer) {
      long now = FileLayout.getLong(peer, FileLayout.EPOCH);
      if (now == 0) {
        return false;
      }
      if (now != peerEpoch) {
        peerEpoch = now;
        sent = 0;
      }
      if (sent - FileLayout.getLong(own, FileLayout.TAKEN) >= FileLayout.MAX_MESSAGES) {
        return false;
      }
      long at = FileLayout.message(sent);
      FileLayout.putInt(peer, at, message.length);
      MemorySegment.copy(
          message, 0, peer, ValueLayout.JAVA_BYTE, at + FileLayout.MESSAGE_DATA, message.length);
      VarHandle.fullFence();
      FileLayout.putLong(
          peer, at + FileLayout.MESSAGE_NUMBER, FileLayout.number(now, epoch, ++sent));
      VarHandle.fullFence();
      return true;
    }
  }

  @Override
  public byte @Nullable [] await(int millis) {
    long deadline = System.nanoTime() + millis * 1_000_000L;
    while (!closed) {
      FileLayout.putLong(peer, FileLayout.BEAT, ++beats);
      heartbeat.look(FileLayout.getLong(own, FileLayout.BEAT), System.nanoTime());
      long sender = FileLayout.getLong(own, FileLayout.SENDER);
      if (sender != senderEpoch) {
        senderEpoch = sender;
        received = 0;
      }
      long at = FileLayout.message(received);
      if (FileLayout.getLong(own, at + FileLayout.MESSAGE_NUMBER)
          == FileLayout.number(epoch, sender, received + 1)) {
        return take(at);
      }
      if (System.nanoTime() - deadline >= 0) {
        return null;
      }
      boolean restless = ++misses < RESTLESS_POLLS;
      LockSupport.parkNanos(this, restless ? POLL_NS : IDLE_POLL_NS);
    }
    return null;
  }

  private byte[] take(long at) {
    misses = 0;
    byte[] message = new byte[Math.clamp(FileLayout.getInt(own, at), 0, MESSAGE_BYTES)];
    MemorySegment.copy(
        own, ValueLayout.JAVA_BYTE, at + FileLayout.MESSAGE_DATA, message, 0, message.length);
    received++;
    FileLayout.putLong(peer, FileLayout.TAKEN, received);
    VarHandle.fullFence();
    return message;
  }

  @Override
  public boolean isPeerSilent() {
    return heartbeat.isSilent();
  }

  @Override
  public boolean isClosed() {
    return closed;
  }

  /** The half is free for the next process; the memory stays mapped until this one ends. */
  @Override
  public void close() {
    closed = true;
    FileLayout.putLong(own, FileLayout.EPOCH, 0);
    VarHandle.fullFence();
  }
}
