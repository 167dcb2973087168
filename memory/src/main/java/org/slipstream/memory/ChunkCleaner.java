package org.slipstream.memory;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.MemoryShortage;
import org.slipstream.transport.MessageCode;

/**
 * The thread of a memory server that makes chunks fit to be lent anew: their mappings are revoked,
 * and they are filled with zeros. A chunk that is mapped by a stopped process has to wait, and so
 * does one for which the heap has no room at the moment.
 */
final class ChunkCleaner {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream.memory");

  /** How long it waits for the processes that have mapped a chunk before it looks at the next. */
  private static final Duration PATIENCE = Duration.ofMillis(200);

  private final BlockingQueue<Region> waiting = new LinkedBlockingQueue<>();

  /** Written by the thread that opens the server; null before it is started. */
  private volatile @Nullable Thread thread;

  /**
   * Starts the thread.
   *
   * @param clean takes chunks that no process has mapped, and that are all zero
   */
  void start(Consumer<Region> clean) {
    MemoryShortage.prepare();
    thread = Thread.ofPlatform().daemon().name("slipstream-memory-cleaner").start(() -> run(clean));
  }

  /** A chunk whose lease has ended. Any thread; does not wait. */
  void accept(Region chunk) {
    waiting.add(chunk);
  }

  /** Until it is interrupted. */
  private void run(Consumer<Region> clean) {
    Region chunk = null;
    while (true) {
      try {
        chunk = next(chunk, clean);
      } catch (OutOfMemoryError e) { // the same chunk again, as the queue has it no more
        MemoryShortage.rest();
      } catch (InterruptedException e) {
        return; // stopped
      } catch (IllegalStateException | InternalError e) { // domain closed, or a file truncated
        LOG.log(
            Level.WARNING,
            MessageCode.MEMORY_SERVER.text("Chunks that come back are not lent any more"),
            e);
        return;
      }
    }
  }

  /**
   * One step: takes a chunk, or cleans the one that was taken.
   *
   * @return the chunk that was taken and is not cleaned
   */
  private @Nullable Region next(@Nullable Region taken, Consumer<Region> clean)
      throws InterruptedException {
    if (taken == null) {
      return waiting.take();
    }
    if (taken.revokeAll(PATIENCE)) {
      taken.memory().fill((byte) 0);
      clean.accept(taken);
    } else {
      waiting.add(taken); // mapped by a process that is stopped: later
    }
    return null;
  }

  /** Stops it, and waits for its end; before it is started, too. */
  void stop() throws InterruptedException {
    Thread running = thread;
    if (running != null) {
      running.interrupt();
      running.join();
    }
  }
}
