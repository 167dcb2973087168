package org.slipstream.memory;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.MemoryShortage;

/**
 * One call of {@link Domain#map}: the caller waits, the reactor asks each process that the owner's
 * name names, and the first that has the region wins.
 */
final class MapRequest {
  private final Owner owner;
  private final MemoryFrame.Request frame;
  private final CompletableFuture<RemoteRegion> result = new CompletableFuture<>();

  // Reactor only.
  private int open = 1; // until all have been asked
  private MappingException.Reason reason = MappingException.Reason.NO_OWNER;
  private @Nullable String detail;

  MapRequest(Owner owner, MemoryFrame.Request frame) {
    this.owner = owner;
    this.frame = frame;
  }

  Owner owner() {
    return owner;
  }

  MemoryFrame.Request frame() {
    return frame;
  }

  /** Whether the caller still waits. */
  boolean isOpen() {
    return !result.isDone();
  }

  /** All processes that were found have been asked. */
  void asked(int found) {
    open += found;
    refused(MappingException.Reason.NO_OWNER);
  }

  /** One process refused; of several reasons the one that tells most is kept. */
  void refused(MappingException.Reason why) {
    if (why.compareTo(reason) > 0) {
      reason = why;
    }
    if (open == 1) {
      result.completeExceptionally(new MappingException(reason, sentence()));
    }
    open--; // behind what may want memory, so that a second call counts once
  }

  /** One process granted it, and it could not be mapped here. */
  void failed(String why) {
    detail = why;
    refused(MappingException.Reason.NO_MEMORY);
  }

  /** Returns false if the caller does not wait any more. */
  boolean answered(RemoteRegion region) {
    return result.complete(region);
  }

  private String sentence() {
    String what = "'" + frame.name() + "' of " + owner + " can not be mapped: ";
    return what
        + switch (reason) {
          case NO_OWNER ->
              "no such process of this user has opened a Domain; start it, or set the same"
                  + " slipstream.dir for both; between hosts, set slipstream.key for both, and name"
                  + " an address that the owner has announced";
          case OWNER_LOST -> "the process ended";
          case NO_ANSWER -> "the process does not answer; it may be stopped";
          case NO_REGION -> "it exports nothing of that name; export it first";
          case VERSION -> "it has another version of Slipstream; use one version for both";
          case TOO_MANY -> "this process has mapped too many of its regions; close some";
          case NO_MEMORY -> String.valueOf(detail);
          case NO_MEMORY_THERE ->
              "its process can not register it with its device; see its ulimit -l";
          case DENIED -> "the grant is not known there; ask the owner for one";
          case REVOKED -> "the grant was revoked; ask the owner for a new one";
        };
  }

  /** Waits for the answer; the caller's thread. */
  RemoteRegion await(Duration patience) throws IOException, InterruptedException {
    boolean returned = false;
    try {
      RemoteRegion region = result.get(patience.toNanos(), TimeUnit.NANOSECONDS);
      returned = true;
      return region;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof MappingException reasoned) {
        // With the caller's stack, and not that of the control thread.
        throw new MappingException(reasoned.reason(), String.valueOf(reasoned.getMessage()));
      }
      throw new IOException(e.getCause());
    } catch (TimeoutException e) {
      throw new MappingException(
          MappingException.Reason.NO_ANSWER,
          "'"
              + frame.name()
              + "' of "
              + owner
              + " can not be mapped: no answer within "
              + patience.toSeconds()
              + " seconds; the process may be stopped");
    } finally {
      if (!returned) {
        giveUp();
      }
    }
  }

  /**
   * A mapping that comes later is given back by the reactor, and one that came just now is here.
   */
  private void giveUp() {
    for (int attempt = 1; ; attempt++) {
      try {
        if (!result.cancel(false) && result.state() == Future.State.SUCCESS) {
          result.resultNow().release();
        }
        return;
      } catch (OutOfMemoryError e) {
        MemoryShortage.rest(attempt, e);
      }
    }
  }
}
