package org.slipstream.rdma;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import org.slipstream.rdma.cm.CmId;
import org.slipstream.rdma.verbs.Capacity;
import org.slipstream.rdma.verbs.CompletionChannel;
import org.slipstream.rdma.verbs.CompletionQueue;
import org.slipstream.rdma.verbs.DeviceContext;
import org.slipstream.rdma.verbs.MemoryRegion;
import org.slipstream.rdma.verbs.ProtectionDomain;
import org.slipstream.rdma.verbs.QueuePair;

/**
 * The native objects of one session: a protection domain of its own, so that its keys are worth
 * nothing to others, two completion queues, a queue pair, and memory for messages. Made and closed
 * by the event thread.
 */
final class Connection {
  /**
   * Requests are looked after so often while some are under way: a failure that no thread waits for
   * is heard of so much later than the device finds it.
   */
  private static final long LOOK_NS = 250_000_000L;

  /**
   * A session that is idle sends something so often. A host that vanished answers nothing, and the
   * device gives up after its retries: the memory that is locked for the session is free again.
   */
  static final long ALIVE_NS = 10_000_000_000L;

  private static final int PAGE = 4096;

  /** What is asked for at first; devices that can not are asked for less. */
  private static final int[] INLINE_BYTES = {1024, 512, 256, 128, 64, 0};

  private final EventThread events;
  private final CmId id;
  private final Arena arena = Arena.ofShared();
  private final ProtectionDomain domain;
  private final CompletionQueue sends;
  private final CompletionQueue receives;
  private final QueuePair queuePair;
  private final MemorySegment messages;
  private final MemoryRegion region;
  private final SendQueue sendQueue;
  private final ControlChannel control;
  private final CompletionChannel channel;
  private final PinDownCache pinned;

  /** Closed with the queue pair; {@code domains} behind the slabs. */
  private final Closing objects = new Closing();

  private final Closing domains = new Closing();
  private boolean closed;

  // Made before there is no memory for them.
  private final Runnable lookLater = this::lookLater;
  private final Runnable look = this::look;

  /** What arrives. Event thread. */
  interface Listener {
    /** A frame of the peer. */
    void frame(byte[] frame);

    /** The peer says that another session of ours with it is over: its ticket, hostile. */
    void notice(byte[] ticket);

    /** The queue pair can not be used any more. Any thread, perhaps with the queue's lock held. */
    void failed(String cause);
  }

  private final Listener listener;

  /**
   * Makes the objects on the device that the identifier is bound to, and posts receives.
   *
   * @param events the thread
   * @param id resolved, or of a request; not closed here if this fails
   * @param maxInline bytes that a request may carry itself
   * @param pins what registered buffers may use
   * @param listener told of what arrives
   * @throws IOException the device can not
   */
  Connection(EventThread events, CmId id, int maxInline, PinBudget pins, Listener listener)
      throws IOException {
    this.events = events;
    this.id = id;
    this.listener = listener;
    DeviceContext device = id.device();
    try {
      channel = events.acquireChannel(device);
      objects.add(() -> events.releaseChannel(channel));
      domain = new ProtectionDomain(device);
      domains.add(domain::close);
      objects.add(arena::close);
      sends = new CompletionQueue(device, SendQueue.SENDS, channel);
      objects.add(sends::close);
      receives = new CompletionQueue(device, ControlChannel.RECEIVES, channel);
      objects.add(receives::close);
      queuePair = createQueuePair(sends, receives, maxInline);
      objects.add(id::destroyQueuePair);
      int depth = Math.min(queuePair.capacity().sends(), SendQueue.SENDS); // a device may give more
      int inline = SendQueue.inlineBytes(queuePair, maxInline);
      long slots = (long) ControlChannel.RECEIVES * MessageLayout.SLOT_BYTES;
      messages = arena.allocate(pinnedBytes(depth, inline), PAGE);
      region = domain.registerLocal(messages);
      objects.add(region::close);
      MemorySegment scratch = messages.asSlice(2 * slots);
      Consumer<String> failed = listener::failed;
      // A completion of iWARP says that TCP has the bytes. Soft-iWARP lets TCP read large writes
      // that ask for no completion where they are, even after that.
      sendQueue =
          new SendQueue(
              queuePair,
              sends,
              scratch,
              region,
              maxInline,
              device.isIwarp(),
              failed,
              this::watchProgress);
      control = new ControlChannel(sendQueue, messages.asSlice(slots, slots), region);
      for (int i = 0; i < ControlChannel.RECEIVES; i++) {
        postReceive(i);
      }
      pinned =
          new PinDownCache(
              sendQueue.lock,
              domain::registerLocal,
              events::execute,
              sendQueue::isDone,
              pins,
              PinDownCache.BATCH);
      objects.add(pinned::end);
      events.watch(sends.address(), this::sendEvent);
      objects.add(() -> events.unwatch(sends.address()));
      events.watch(receives.address(), this::receiveEvent);
      objects.add(() -> events.unwatch(receives.address()));
      // Until it is destroyed, the device may read and write what the others are.
      objects.add(id::destroyQueuePair);
    } catch (IOException | RuntimeException | Error e) {
      objects.close();
      domains.close();
      throw Closing.asIOException(e);
    }
    receives.requestNotify();
  }

  private QueuePair createQueuePair(CompletionQueue s, CompletionQueue r, int maxInline)
      throws IOException {
    IOException refused = new IOException("no queue pair");
    int refusedBytes = -1;
    for (int possible : INLINE_BYTES) {
      int inline = Math.min(possible, maxInline);
      if (inline == refusedBytes) {
        continue;
      }
      try {
        Capacity wanted = new Capacity(SendQueue.SENDS, ControlChannel.RECEIVES, inline);
        return id.createQueuePair(domain, s, r, wanted, arena);
      } catch (IOException e) {
        refused = e;
        refusedBytes = inline;
      }
    }
    throw refused;
  }

  private void postReceive(int slot) throws IOException {
    long at = messages.address() + (long) slot * MessageLayout.SLOT_BYTES;
    int error = queuePair.receive(slot, at, MessageLayout.SLOT_BYTES, region.localKey());
    if (error != 0) {
      throw new IOException("posting a receive failed with errno " + error);
    }
  }

  /**
   * Locked memory that a session has from its beginning: messages in both directions, and copies of
   * words. Whole pages, as the kernel counts.
   *
   * @param depth requests of the send queue
   * @param inlineBytes what a request carries itself
   */
  static long pinnedBytes(int depth, int inlineBytes) {
    long messages = 2L * ControlChannel.RECEIVES * MessageLayout.SLOT_BYTES;
    return (messages + SendQueue.scratchBytes(depth, inlineBytes) + PAGE - 1) / PAGE * PAGE;
  }

  /** As {@link #pinnedBytes(int, int)}, on a device whose requests carry nothing. */
  static long mostPinnedBytes() {
    return pinnedBytes(SendQueue.SENDS, 0);
  }

  /** What this one has. */
  long pinnedBytes() {
    return messages.byteSize();
  }

  /**
   * Asks the peer's device for a sign of life every so often, until it is closed. Event thread.
   *
   * @param eachTime what else is to be done so often
   */
  void keepAlive(Runnable eachTime) {
    events.schedule(
        ALIVE_NS,
        new Runnable() {
          @Override
          public void run() {
            if (!closed) {
              // First: the next one comes whatever this one has no memory for.
              events.schedule(ALIVE_NS, this);
              ping();
              eachTime.run();
            }
          }
        });
  }

  private void ping() {
    sendQueue.lock.lock();
    try {
      if (!sendQueue.isEnded()) {
        control.ping();
      }
    } finally {
      sendQueue.lock.unlock();
    }
  }

  CmId id() {
    return id;
  }

  /** For tests. */
  CompletionChannel channel() {
    return channel;
  }

  SendQueue sendQueue() {
    return sendQueue;
  }

  PinDownCache pinned() {
    return pinned;
  }

  ControlChannel control() {
    return control;
  }

  ProtectionDomain domain() {
    return domain;
  }

  QueuePair queuePair() {
    return queuePair;
  }

  /** Any thread. */
  private void watchProgress() {
    events.execute(lookLater);
  }

  private void lookLater() {
    events.schedule(LOOK_NS, look);
  }

  private void look() {
    boolean again = !closed;
    try {
      again = again && sendQueue.look(System.nanoTime());
    } finally {
      if (again) {
        lookLater();
      }
    }
  }

  // -- events ----------------------------------------------------------------------------------

  private void sendEvent() {
    sendQueue.lock.lock();
    try {
      sendQueue.completed();
    } finally {
      sendQueue.lock.unlock();
    }
  }

  private void receiveEvent() {
    if (closed) {
      return;
    }
    try {
      takeReceives();
    } catch (OutOfMemoryError e) {
      listener.failed("no memory for a message of the peer"); // those behind it need it
    }
  }

  private void takeReceives() {
    receives.requestNotify(); // first, so that what comes from now on causes an event
    int n;
    while ((n = receives.poll()) > 0) {
      for (int i = 0; i < n; i++) {
        if (!receives.isSuccess(i)) {
          listener.failed("the queue pair failed: " + receives.status(i));
          return;
        }
        if (!receive((int) receives.id(i), receives.length(i))) {
          return;
        }
      }
    }
    if (n < 0) {
      listener.failed("the completion queue is broken");
    }
  }

  private boolean receive(int slot, int length) {
    MemorySegment message =
        messages.asSlice((long) slot * MessageLayout.SLOT_BYTES, MessageLayout.SLOT_BYTES);
    int returned = MessageLayout.returned(message);
    byte[] frame = MessageLayout.frame(message, length);
    boolean notice = MessageLayout.isNotice(message);
    if (frame == null || (notice && frame.length != Token.BYTES)) {
      listener.failed("the peer sent a message whose lengths contradict each other");
      return false;
    }
    try {
      postReceive(slot);
    } catch (IOException e) {
      listener.failed(String.valueOf(e.getMessage()));
      return false;
    }
    if (notice) {
      listener.notice(frame);
    } else if (frame.length > 0) {
      listener.frame(frame);
    }
    sendQueue.lock.lock();
    try {
      control.received(returned);
    } finally {
      sendQueue.lock.unlock();
    }
    return true;
  }

  /**
   * Fences and closes: when it returns, no write of the peer is executed any more, and no thread of
   * ours posts. Idempotent.
   *
   * @param silently without a word to the peer
   */
  void close(boolean silently) {
    if (closed) {
      return;
    }
    closed = true;
    try {
      endQueue();
      if (!silently) {
        id.disconnect();
      }
    } finally { // without memory, too
      id.destroyQueuePair();
      sendQueue.fence();
      objects.close();
    }
  }

  private void endQueue() {
    sendQueue.lock.lock();
    try {
      sendQueue.end();
    } finally {
      sendQueue.lock.unlock();
    }
  }

  /** After the slabs; then the identifier is the last thing that is open. */
  void closeDomain() {
    domains.close();
  }
}
