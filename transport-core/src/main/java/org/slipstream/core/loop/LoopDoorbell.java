package org.slipstream.core.loop;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.doorbell.DoorbellSource;
import org.slipstream.core.doorbell.Doorbells;
import org.slipstream.core.doorbell.OwnPipe;
import org.slipstream.core.ring.PipeAddress;
import org.slipstream.transport.OutOfLine;

/**
 * The pipe in which peers ring for all streams of one event loop, and the names of the streams in
 * it. Belongs to the loop's thread.
 *
 * <p>A name is a slot and how often that slot was given away: a record that comes late must not be
 * taken for one of the slot's next stream. (It could do no harm but an idle look.)
 *
 * @param <A> see {@link WatchedChannel#owner}
 */
final class LoopDoorbell<A> {
  private static final int SLOT_BITS = 20;
  private static final int MOST_STREAMS = 1 << SLOT_BITS;

  private final DoorbellSource source;
  private final Selector jdk;
  private final List<@Nullable WatchedStream<A>> streams = new ArrayList<>();
  private final List<Integer> freeTokens = new ArrayList<>();

  private @Nullable OwnPipe pipe;
  private @Nullable SelectionKey key;

  /** No pipe can be had, or what came out of it was nonsense: TCP wakes this loop. */
  private boolean unusable;

  /** Where {@link #rung} puts what it finds; only while {@link #drain} runs. */
  private @Nullable Consumer<WatchedStream<A>> found;

  private boolean nonsense;

  /**
   * Makes no pipe yet.
   *
   * @param source of the pipe
   * @param jdk in which the loop sleeps
   */
  LoopDoorbell(DoorbellSource source, Selector jdk) {
    this.source = source;
    this.jdk = jdk;
  }

  /** Gives a stream of the loop its address in the pipe, if it has none and there is a pipe. */
  @OutOfLine
  void prepare(WatchedStream<A> stream) {
    if (unusable || stream.pipe != null) {
      return;
    }
    OwnPipe mine = pipe == null ? open() : pipe;
    if (mine == null || (freeTokens.isEmpty() && streams.size() == MOST_STREAMS)) {
      return;
    }
    boolean again = !freeTokens.isEmpty();
    int token = again ? freeTokens.getLast() + MOST_STREAMS : streams.size();
    PipeAddress address = mine.address(token); // first: without memory nothing has happened yet
    if (again) {
      freeTokens.removeLast();
      streams.set(slot(token), stream);
    } else {
      streams.add(stream);
    }
    stream.pipe = address;
  }

  private static int slot(int token) {
    return token & MOST_STREAMS - 1;
  }

  private @Nullable OwnPipe open() {
    unusable = true;
    OwnPipe made = null;
    try {
      Doorbells doorbells = source.doorbells();
      if (doorbells == null) {
        return null;
      }
      made = doorbells.open(jdk.provider());
      key = made.source().register(jdk, SelectionKey.OP_READ, this);
      pipe = made;
      unusable = false;
      return made;
    } catch (IOException | RuntimeException | LinkageError e) {
      return null; // a process without descriptors can not load classes either
    } catch (OutOfMemoryError e) {
      unusable = false; // there may be memory at the next arming
      return null;
    } finally {
      if (pipe == null && made != null) {
        close(made);
      }
    }
  }

  /** The stream has left the loop. */
  void left(WatchedStream<A> stream) {
    PipeAddress address = stream.pipe;
    if (address != null) {
      stream.pipe = null;
      streams.set(slot(address.token()), null);
      try {
        freeTokens.add(address.token());
      } catch (OutOfMemoryError e) {
        return; // a slot fewer
      }
    }
  }

  /**
   * The pipe is readable: takes records out of it.
   *
   * @param rung told of each stream that has to be looked at
   */
  @OutOfLine
  void drain(Consumer<WatchedStream<A>> rung) {
    OwnPipe mine = pipe;
    if (mine == null) {
      return;
    }
    found = rung;
    try {
      if (!mine.drain(this::rung)) {
        nonsense = true;
      }
    } catch (IOException e) {
      nonsense = true;
    } finally {
      found = null;
    }
    if (nonsense) {
      abandon(rung);
    }
  }

  private void rung(int token, int arming) {
    int slot = slot(token);
    if (slot >= streams.size() || found == null) {
      nonsense = true;
      return;
    }
    WatchedStream<A> stream = streams.get(slot);
    PipeAddress address = stream == null ? null : stream.pipe;
    if (stream != null && address != null && address.token() == token) {
      stream.rungFor = arming;
      found.accept(stream);
    }
  }

  /** Records may be lost: every stream is looked at, and armed for TCP. */
  private void abandon(Consumer<WatchedStream<A>> rung) {
    unusable = true;
    for (WatchedStream<A> stream : streams) {
      if (stream != null) {
        stream.pipe = null;
        rung.accept(stream);
      }
    }
    streams.clear();
    freeTokens.clear();
    close();
  }

  /** The loop ends, or wants no more doorbells here. */
  void close() {
    unusable = true;
    SelectionKey registered = key;
    OwnPipe mine = pipe;
    key = null;
    pipe = null;
    if (registered != null) {
      registered.cancel();
    }
    if (mine != null) {
      close(mine);
    }
  }

  private static void close(OwnPipe pipe) {
    try {
      pipe.close();
    } catch (IOException e) {
      // Both descriptors are gone either way, and no byte of a program was in there.
      return;
    }
  }
}
