package org.slipstream.rdma;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slipstream.rdma.cm.CmEvent;
import org.slipstream.rdma.cm.EventChannel;
import org.slipstream.rdma.verbs.CompletionChannel;
import org.slipstream.rdma.verbs.DeviceContext;
import org.slipstream.rdma.verbs.DeviceEvent;
import org.slipstream.rdma.verbs.ErrorNumbers;
import org.slipstream.rdma.verbs.NativeCallException;
import org.slipstream.rdma.verbs.Poller;
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.MemoryShortage;
import org.slipstream.transport.MessageCode;

/**
 * The thread that may sleep in the kernel for RDMA: every call of rdma_cm is made here, the first
 * one too, and events of completion queues are taken here. Without work and without attempts to
 * connect it sleeps with no timer.
 */
final class EventThread {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream.rdma");

  /** So often rdma_cm may fail in a row before it is given up. */
  private static final int MAX_FAILURES = 100;

  /** The kernel says that a device is gone in more than one way; the others come in this time. */
  private static final long GONE_NS = 2_000_000_000L;

  /** Between two attempts to wait, if the kernel refuses. */
  private static final long REFUSED_NS = 1_000_000_000L;

  /** Of this process. A device says something once, to whichever of them asks first. */
  private static final Set<EventThread> ALL = new CopyOnWriteArraySet<>();

  private record Timer(long dueNanos, Runnable task) {}

  /** Takes what a device says of itself. */
  @FunctionalInterface
  interface DeviceEvents {
    void accept(DeviceContext device, DeviceEvent event);
  }

  /** Takes what rdma_cm says. */
  interface ConnectionEvents {
    /** An event. */
    void event(CmEvent event);

    /** There will be no more events: the channel is broken. */
    void lost(String why);

    /** Whether the thread is needed no more: the endpoint is closed, and nothing is open. */
    boolean isOver();

    /** The last call of the thread, before it closes the channel. */
    void ending();
  }

  /**
   * A device that is used. Its channel is closed with its last user: the kernel waits for that to
   * remove the device.
   */
  private static final class Shared {
    final DeviceContext device;
    final int eventDescriptor;
    final CompletionChannel channel;
    int users;

    Shared(DeviceContext device, CompletionChannel channel) {
      this.device = device;
      this.eventDescriptor = device.eventDescriptor();
      this.channel = channel;
    }
  }

  /** Written once, by the thread; null before that, and for ever if there are no descriptors. */
  private volatile @Nullable Poller poller;

  /** Only on the thread. */
  private @Nullable EventChannel channel;

  private final ConnectionEvents connectionEvents;
  private final DeviceEvents deviceEvents;
  private final Thread thread;
  private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();

  /** Changed only on the thread. */
  private final Map<Long, Shared> channels = new ConcurrentHashMap<>();

  // Only on the thread.
  private final PriorityQueue<Timer> timers =
      new PriorityQueue<>((a, b) -> Long.signum(a.dueNanos - b.dueNanos));
  private final Map<Long, Runnable> queues = new HashMap<>();
  private int failures;
  private boolean refused;

  /**
   * Makes it; calls nothing of C.
   *
   * @param connectionEvents takes the events of rdma_cm, on the thread
   * @param deviceEvents takes the events of devices that are used, on the thread
   */
  EventThread(ConnectionEvents connectionEvents, DeviceEvents deviceEvents) {
    this.connectionEvents = connectionEvents;
    this.deviceEvents = deviceEvents;
    this.thread = Thread.ofPlatform().daemon().name("slipstream-rdma").unstarted(this::run);
  }

  /** It opens rdma_cm first, or says that it is lost. */
  void start() {
    ALL.add(this);
    thread.start();
  }

  /** For tests. */
  boolean isAlive() {
    return thread.isAlive();
  }

  /**
   * Only on the thread.
   *
   * @throws IOException if rdma_cm could not be opened
   */
  EventChannel channel() throws IOException {
    EventChannel open = channel;
    if (open == null) {
      throw new IOException("rdma_cm is not open");
    }
    return open;
  }

  /** Runs a task on the thread, soon; before {@link #start} too. Any thread; never blocks. */
  void execute(Runnable task) {
    tasks.add(task);
    if (!thread.equals(Thread.currentThread())) {
      Poller waiting = poller;
      if (waiting != null) {
        wake(waiting);
      } else {
        LockSupport.unpark(thread);
      }
    }
  }

  /** The task is there already: a caller that heard of a failure would bring it once more. */
  private static void wake(Poller waiting) {
    for (int attempt = 1; ; attempt++) {
      try {
        waiting.wakeup();
        return;
      } catch (OutOfMemoryError e) {
        MemoryShortage.rest(attempt, e);
      }
    }
  }

  /** Runs a task on the thread after a delay. Only on the thread. */
  void schedule(long delayNanos, Runnable task) {
    long due = System.nanoTime() + delayNanos;
    for (int attempt = 1; ; attempt++) {
      try {
        timers.add(new Timer(due, task));
        return;
      } catch (OutOfMemoryError e) {
        MemoryShortage.rest(attempt, e); // a clock that is not set again stands for good
      }
    }
  }

  /** The channel for the completion queues of a device, to be released. Only on the thread. */
  CompletionChannel acquireChannel(DeviceContext device) throws IOException {
    Shared shared = channels.get(device.address());
    if (shared == null) {
      CompletionChannel made = new CompletionChannel(device);
      Shared used = new Shared(device, made);
      shared = used;
      channels.put(device.address(), shared);
      poller().add(used.eventDescriptor, () -> takeDeviceEvent(used));
      poller().add(made.descriptor(), () -> takeCompletionEvent(used));
    }
    shared.users++;
    return shared.channel;
  }

  /** Whether there are completion queues on a device, of any thread of this process. */
  static boolean isUsed(long device) {
    return ALL.stream().anyMatch(each -> each.channels.containsKey(device));
  }

  /** After the completion queues. Only on the thread. */
  void releaseChannel(CompletionChannel channel) {
    channels
        .values()
        .removeIf(shared -> {
          if (!shared.channel.equals(channel) || --shared.users > 0) {
            return false;
          }
          poller().remove(channel.descriptor());
          poller().remove(shared.eventDescriptor);
          channel.close();
          return true;
        });
  }

  /**
   * Says what to do at an event of a completion queue. Only on the thread.
   *
   * @param handler called again for the same event if it had no memory
   */
  void watch(long queue, Runnable handler) {
    queues.put(queue, handler);
  }

  void unwatch(long queue) {
    queues.remove(queue);
  }

  private void takeConnectionEvent(EventChannel channel) {
    CmEvent event;
    try {
      event = channel.take();
      failures = 0;
      if (event == null) {
        return;
      }
    } catch (IOException e) {
      boolean closed = e instanceof NativeCallException n && n.errno() == ErrorNumbers.EBADF;
      if (closed || ++failures == MAX_FAILURES) {
        LOG.log(
            Level.WARNING,
            MessageCode.RDMA_LOST.text("RDMA is not used any more: " + e.getMessage()));
        poller().remove(channel.descriptor());
        connectionEvents.lost("rdma_cm is not heard of any more: " + e.getMessage());
      }
      return;
    }
    connectionEvents.event(event);
  }

  private void takeCompletionEvent(Shared used) {
    try {
      serve(used.channel.takeEvent());
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "A device is gone", e); // sessions hear of it by rdma_cm
      poller().remove(used.channel.descriptor());
      schedule(GONE_NS, () -> unheard(used, e));
    }
  }

  /** A queue says nothing more before its handler has asked for it. */
  private void serve(long queue) {
    for (int attempt = 1; ; attempt++) {
      try {
        Runnable handler = queues.get(queue);
        if (handler != null) {
          handler.run();
        }
        return;
      } catch (OutOfMemoryError e) {
        MemoryShortage.rest(attempt, e);
      }
    }
  }

  /** The device is not gone, or no event says so. */
  private void unheard(Shared used, IOException cause) {
    if (channels.containsValue(used)) {
      LOG.log(
          Level.WARNING,
          () ->
              MessageCode.RDMA_EVENTS_LOST.text(
                  "Sessions on "
                      + used.device
                      + " end, their events are lost: "
                      + cause.getMessage()));
      deviceEvents.accept(used.device, new DeviceEvent(DeviceEvent.Type.UNHEARD, 0));
    }
  }

  private void takeDeviceEvent(Shared used) {
    try {
      DeviceEvent event = used.device.takeEvent();
      if (event != null) {
        tellAll(used.device.address(), event);
      }
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "A device is gone", e);
      poller().remove(used.eventDescriptor);
    }
  }

  /** Perhaps twice, but to each: it is said once. */
  private static void tellAll(long device, DeviceEvent event) {
    for (int attempt = 1; ; attempt++) {
      try {
        ALL.forEach(each -> each.execute(() -> each.tell(device, event)));
        return;
      } catch (OutOfMemoryError e) {
        MemoryShortage.rest(attempt, e);
      }
    }
  }

  private void tell(long device, DeviceEvent event) {
    Shared used = channels.get(device);
    if (used != null) {
      deviceEvents.accept(used.device, event);
    }
  }

  /** Only on the thread, after it has opened rdma_cm. */
  private Poller poller() {
    return Objects.requireNonNull(poller);
  }

  private void run() {
    try {
      open();
    } catch (IOException | RuntimeException | Error e) {
      connectionEvents.lost("RDMA can not be used: " + e.getMessage());
    }
    while (!connectionEvents.isOver()) {
      await();
      Runnable task;
      while ((task = tasks.poll()) != null) {
        runOne(task);
      }
      Timer next;
      while ((next = timers.peek()) != null && next.dueNanos - System.nanoTime() <= 0) {
        timers.remove();
        runOne(next.task);
      }
    }
    ALL.remove(this);
    runOne(connectionEvents::ending);
    runOne(this::close);
  }

  private void close() {
    EventChannel opened = channel;
    Poller waiting = poller;
    channel = null;
    try {
      if (opened != null) {
        poller().remove(opened.descriptor());
        opened.close();
      }
      if (waiting != null) {
        waiting.close();
      }
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "The RDMA event thread ends", e);
    }
  }

  private void open() throws IOException {
    Poller made = new Poller();
    poller = made;
    EventChannel opened = new EventChannel();
    channel = opened;
    made.add(opened.descriptor(), () -> takeConnectionEvent(opened));
  }

  private void await() {
    Poller waiting = poller;
    try {
      if (waiting != null) {
        waiting.await(nextTimeout());
        refused = false;
      } else if (tasks.isEmpty()) {
        LockSupport.park(this); // tasks are still done, but there is nothing to wait for
      }
    } catch (IOException e) {
      restAfter(e);
    } catch (OutOfMemoryError e) {
      MemoryShortage.rest(); // what is readable stays so
      warn("The RDMA event thread goes on after a failure", e);
    } catch (RuntimeException | Error e) {
      warn("The RDMA event thread goes on after a failure", e);
    }
  }

  /** Streams wait for tasks of this thread: it goes on, whatever the kernel says. */
  private void restAfter(IOException failure) {
    if (!refused) {
      refused = true;
      LOG.log(
          Level.WARNING,
          MessageCode.RDMA_CAN_NOT_WAIT.text(
              "The RDMA event thread can not wait: " + failure.getMessage()));
    }
    LockSupport.parkNanos(REFUSED_NS);
  }

  private static void runOne(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      warn("A task of the RDMA event thread failed", e);
    }
  }

  /** A process without memory still needs this thread: without it streams would wait for ever. */
  private static void warn(String what, Throwable cause) {
    try {
      LOG.log(Level.WARNING, MessageCode.RDMA_TASK.text(what), cause);
    } catch (RuntimeException | Error unsaid) {
      return; // nor suppressed: that needs memory too, and would end the thread
    }
  }

  /** Milliseconds; -1 without a timer. */
  private int nextTimeout() {
    if (!tasks.isEmpty()) {
      return 0;
    }
    Timer next = timers.peek();
    if (next == null) {
      return -1;
    }
    long left = next.dueNanos - System.nanoTime();
    return left <= 0 ? 0 : (int) Math.min(60_000, TimeUnit.NANOSECONDS.toMillis(left + 999_999));
  }
}
