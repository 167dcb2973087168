package org.slipstream.memory;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.MemoryEndpoint;
import org.slipstream.transport.MemoryOutcome;
import org.slipstream.transport.MemoryQueue;

/**
 * A queue where some regions are reached by loads and stores and others by a device: the former are
 * carried out when they are posted, the latter by the queue of their transport. Tickets come back
 * in the order of posting, whichever it was.
 */
final class RoutedQueue implements Queue {
  private static final int BATCH = 16;

  /** A queue of a transport, made at the first operation that needs it. */
  private record Route(MemoryEndpoint endpoint, MemoryQueue queue) {}

  private final int depth;
  private final List<Route> routes = new ArrayList<>();

  // As many places as a power of two has; the number of an operation says which is its.
  private final long[] tickets;
  private final @Nullable Status[] statuses;

  /** Whose status refines what a transport says; null where nothing is under way. */
  private final @Nullable RemoteRegion[] regions;

  private final long[] ids = new long[BATCH];
  private final MemoryOutcome[] outcomes = new MemoryOutcome[BATCH];

  /** Operations posted and polled so far; the caller's thread only. */
  private long posted;

  private long polled;

  RoutedQueue(int depth) {
    DirectQueue.checkDepth(depth);
    this.depth = depth;
    int places = Integer.highestOneBit(2 * depth - 1);
    this.tickets = new long[places];
    this.statuses = new Status[places];
    this.regions = new RemoteRegion[places];
  }

  private int place(long n) {
    return (int) n & (tickets.length - 1);
  }

  private boolean isFull() {
    return posted - polled == depth;
  }

  private boolean ended(long ticket, Status status) {
    int place = place(posted++);
    tickets[place] = ticket;
    statuses[place] = status;
    return true;
  }

  private boolean begun(RemoteRegion region, long ticket, boolean taken) {
    if (!taken) {
      return false;
    }
    int place = place(posted++);
    tickets[place] = ticket;
    statuses[place] = null;
    regions[place] = region;
    return true;
  }

  private MemoryQueue route(RemoteRegion region) {
    MemoryEndpoint endpoint = region.endpoint();
    for (int i = 0; i < routes.size(); i++) {
      Route route = routes.get(i);
      if (route.endpoint.equals(endpoint)) {
        return route.queue;
      }
    }
    MemoryQueue made = endpoint.memoryQueue(depth);
    routes.add(new Route(endpoint, made));
    return made;
  }

  /** A mistake is to be heard of by the caller that makes it, and not when the bytes arrive. */
  private static void checkLocal(MemorySegment memory, boolean written) {
    if (!memory.scope().isAlive()) {
      throw new IllegalStateException("Already closed");
    }
    if (!memory.isAccessibleBy(Thread.currentThread())) {
      throw new WrongThreadException("The local memory is another thread's");
    }
    if (written && memory.isReadOnly()) {
      throw new IllegalArgumentException("The local memory is read-only");
    }
  }

  @Override
  public boolean read(RemoteRegion region, long at, MemorySegment into, long ticket) {
    if (isFull()) {
      return false;
    }
    if (region.isDirect()) {
      return ended(ticket, DirectQueue.load(region, at, into));
    }
    checkLocal(into, true);
    Status status = region.admits(Right.READ, at, into.byteSize());
    return status == Status.OK
        ? begun(region, ticket, route(region).read(region.peerMemory(), at, into, posted))
        : ended(ticket, status);
  }

  @Override
  public boolean write(RemoteRegion region, long at, MemorySegment from, long ticket) {
    if (isFull()) {
      return false;
    }
    if (region.isDirect()) {
      return ended(ticket, DirectQueue.store(region, at, from));
    }
    checkLocal(from, false);
    Status status = region.admits(Right.WRITE, at, from.byteSize());
    return status == Status.OK
        ? begun(region, ticket, route(region).write(region.peerMemory(), at, from, posted))
        : ended(ticket, status);
  }

  @Override
  public boolean fetchAdd(
      RemoteRegion region, long at, long delta, MemorySegment result, long ticket) {
    if (isFull()) {
      return false;
    }
    DirectQueue.check(at, result);
    if (region.isDirect()) {
      return ended(ticket, DirectQueue.add(region, at, delta, result));
    }
    Status status = region.admits(Right.ATOMIC, at, Long.BYTES);
    return status == Status.OK
        ? begun(
            region, ticket, route(region).fetchAdd(region.peerMemory(), at, delta, result, posted))
        : ended(ticket, status);
  }

  @Override
  public boolean compareAndSet(
      RemoteRegion region, long at, long expected, long value, MemorySegment result, long ticket) {
    if (isFull()) {
      return false;
    }
    DirectQueue.check(at, result);
    if (region.isDirect()) {
      return ended(ticket, DirectQueue.exchange(region, at, expected, value, result));
    }
    Status status = region.admits(Right.ATOMIC, at, Long.BYTES);
    return status == Status.OK
        ? begun(
            region,
            ticket,
            route(region).compareAndSet(region.peerMemory(), at, expected, value, result, posted))
        : ended(ticket, status);
  }

  @Override
  public void submit() {
    for (int i = 0; i < routes.size(); i++) {
      routes.get(i).queue.submit();
    }
  }

  @Override
  public int poll(long[] ended, Status[] how) {
    for (int i = 0; i < routes.size(); i++) {
      take(routes.get(i).queue);
    }
    int most = Math.min(ended.length, how.length);
    int n = 0;
    while (n < most && polled < posted) {
      int place = place(polled);
      Status status = statuses[place];
      if (status == null) {
        break;
      }
      ended[n] = tickets[place];
      how[n] = status;
      regions[place] = null;
      polled++;
      n++;
    }
    return n;
  }

  private void take(MemoryQueue queue) {
    int n;
    do {
      n = queue.poll(ids, outcomes);
      for (int i = 0; i < n; i++) {
        int place = place(ids[i]);
        RemoteRegion region = Objects.requireNonNull(regions[place]);
        statuses[place] = region.statusOf(outcomes[i]);
      }
    } while (n == BATCH);
  }

  @Override
  public Status flush(RemoteRegion region) {
    Status status = region.status();
    if (status != Status.OK) {
      return status;
    }
    return region.isDirect()
        ? DirectQueue.flushed(region)
        : region.statusOf(route(region).flush(region.peerMemory()));
  }

  @Override
  public void close() {
    for (Route route : routes) {
      route.queue.close();
    }
    routes.clear();
  }
}
