package org.slipstream.ntb;

import java.io.IOException;
import java.lang.System.Logger.Level;
import org.slipstream.ntb.sisci.SisciLibrary;
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.MemoryBudget;
import org.slipstream.transport.MessageCode;

/**
 * One adapter of this host, as all segments of a process use it: how it is set, and what they share
 * of it. Any thread.
 */
final class Adapter {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream.ntb");

  private final SisciLibrary library;
  private final int number;
  private final String dma;
  private final boolean checksEachPublish;

  /** What this process may map of the board's window. */
  private final MemoryBudget window;

  private volatile boolean engineStuck;

  Adapter(SisciLibrary library, int number, NtbSettings settings) {
    this.library = library;
    this.number = number;
    this.dma = settings.dma();
    this.checksEachPublish = settings.checksEachPublish();
    this.window = new MemoryBudget(settings.windowBytes());
  }

  SisciLibrary library() {
    return library;
  }

  int number() {
    return number;
  }

  String dma() {
    return dma;
  }

  boolean checksEachPublish() {
    return checksEachPublish;
  }

  /** Whether a transfer could not be stopped: then no later session uses the engine. */
  boolean isEngineStuck() {
    return engineStuck;
  }

  void engineIsStuck() {
    engineStuck = true;
    LOG.log(
        Level.WARNING,
        MessageCode.NTB_DMA_STUCK.text(
            "The DMA engine of adapter "
                + number
                + " does not answer; the processor copies instead"));
  }

  /** A segment of a peer is about to be mapped. */
  void reserve(long bytes) throws IOException {
    if (!window.tryReserve(bytes)) {
      throw new IOException(
          "a segment of "
              + bytes
              + " bytes is more than slipstream.ntb.window leaves this process of the board's"
              + " window; smaller rings (slipstream.ring.size) make room for more streams");
    }
  }

  /** A segment of a peer is not mapped any more. */
  void unmapped(long bytes) {
    window.release(bytes);
  }
}
