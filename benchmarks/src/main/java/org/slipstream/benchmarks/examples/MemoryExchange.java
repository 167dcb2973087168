package org.slipstream.benchmarks.examples;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.slipstream.memory.Domain;
import org.slipstream.memory.Owner;
import org.slipstream.memory.Queue;
import org.slipstream.memory.Region;
import org.slipstream.memory.RemoteRegion;
import org.slipstream.memory.Right;
import org.slipstream.memory.Status;

/**
 * By one-sided writes: each process exports an inbox with two mailboxes for every other, which
 * writes the bytes and, behind them in its queue, the word that says that they are there. The owner
 * only looks at its own memory.
 *
 * <pre>
 *   mailbox:  | step(24 bits), length(40 bits) | ... 64 | bytes |
 * </pre>
 *
 * <p>Steps use the two mailboxes in turn. When a process sends for step n + 2, it has got the
 * other's bytes of step n + 1, so the other has done with those of step n.
 */
final class MemoryExchange implements Exchange {
  private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
  private static final long LENGTH = (1L << 40) - 1;
  private static final long STEPS = (1L << 24) - 1;
  private static final int HEAD_BYTES = 64;
  private static final int SPINS = 2000;
  private static final long NAP_NS = 20_000;
  private static final String INBOX = "inbox";

  private final int index;
  private final long mailboxBytes;
  private final Domain domain;
  private final Region inbox;
  private final RemoteRegion[] inboxes;
  private final Queue queue;
  private final MemorySegment[] outgoing;
  private final MemorySegment[] incoming;
  private final MemorySegment words;
  private final long[] tickets = new long[16];
  private final Status[] statuses = new Status[16];
  private long step;
  private int open;

  MemoryExchange(Path directory, int index, int workers, long capacity) throws IOException {
    this.index = index;
    this.mailboxBytes = HEAD_BYTES + ((capacity + HEAD_BYTES - 1) & -HEAD_BYTES);
    this.domain = Domain.open(directory);
    this.inbox =
        domain.export(INBOX, 2L * workers * mailboxBytes, EnumSet.of(Right.READ, Right.WRITE));
    this.inboxes = new RemoteRegion[workers];
    this.queue = domain.queue(2 * workers);
    this.outgoing = new MemorySegment[workers];
    this.incoming = new MemorySegment[workers];
    this.words = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG, workers);
    for (int i = 0; i < workers; i++) {
      outgoing[i] = Arena.ofAuto().allocate(capacity, HEAD_BYTES);
      incoming[i] = outgoing[i].asSlice(0, 0);
    }
  }

  @Override
  public String address() {
    return Long.toString(ProcessHandle.current().pid());
  }

  @Override
  public void connect(List<String> addresses) throws IOException, InterruptedException {
    for (int i = 0; i < inboxes.length; i++) {
      inboxes[i] = domain.map(Owner.process(Long.parseLong(addresses.get(i))), INBOX);
    }
  }

  @Override
  public int index() {
    return index;
  }

  @Override
  public int workers() {
    return inboxes.length;
  }

  @Override
  public MemorySegment outgoing(int to) {
    return outgoing[to];
  }

  @Override
  public MemorySegment incoming(int from) {
    return incoming[from];
  }

  private long mailbox(int from) {
    return (2L * from + (step & 1)) * mailboxBytes;
  }

  @Override
  public void exchange(long[] bytes) throws IOException {
    step++;
    for (int i = 1; i < inboxes.length; i++) {
      int to = (index + i) % inboxes.length; // not all to the same one first
      MemorySegment word = words.asSlice(8L * to, 8);
      word.set(ValueLayout.JAVA_LONG, 0, step << 40 | bytes[to]);
      long at = mailbox(index);
      queue.write(inboxes[to], at + HEAD_BYTES, outgoing[to].asSlice(0, bytes[to]), to);
      queue.write(inboxes[to], at, word, to);
      open += 2;
      queue.submit();
    }
    incoming[index] = outgoing[index].asSlice(0, bytes[index]);
    while (open > 0) {
      int n = queue.poll(tickets, statuses);
      for (int i = 0; i < n; i++) {
        if (statuses[i] != Status.OK) {
          throw new IOException("The inbox of process " + tickets[i] + " is " + statuses[i]);
        }
      }
      open -= n;
    }
    for (int i = 1; i < inboxes.length; i++) {
      int from = (index + i) % inboxes.length;
      incoming[from] = inbox.memory().asSlice(mailbox(from) + HEAD_BYTES, await(from));
    }
  }

  /** Waits for the word of this step; returns how many bytes are there. */
  private long await(int from) throws IOException {
    MemorySegment memory = inbox.memory();
    long at = mailbox(from);
    for (int spins = 0; ; spins++) {
      long word = (long) WORD.getAcquire(memory, at);
      if (word >>> 40 == (step & STEPS)) {
        return word & LENGTH;
      }
      if (spins < SPINS) {
        Thread.onSpinWait();
      } else if (inboxes[from].status() != Status.OK) {
        throw new IOException("Process " + from + " has ended");
      } else if (spins < 2 * SPINS) {
        Thread.yield();
      } else {
        LockSupport.parkNanos(NAP_NS); // short of cores: what it waits for may need this one
      }
    }
  }

  @Override
  public void close() {
    domain.close();
  }
}
