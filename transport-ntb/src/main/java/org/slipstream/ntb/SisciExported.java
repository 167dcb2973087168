package org.slipstream.ntb;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.slipstream.ntb.sisci.Descriptor;
import org.slipstream.ntb.sisci.LocalSegment;
import org.slipstream.ntb.sisci.SegmentMap;

/** A local segment, mapped and available on one adapter. */
final class SisciExported implements Exported {
  private final Adapter adapter;
  private final Descriptor device;
  private final LocalSegment segment;
  private final int id;
  private final SegmentMap map;

  SisciExported(Adapter adapter, Descriptor device, LocalSegment segment, int id, long bytes)
      throws IOException {
    this.adapter = adapter;
    this.device = device;
    this.segment = segment;
    this.id = id;
    this.map = segment.map(0, bytes);
    map.memory().fill((byte) 0); // before a peer may connect: no peer reads what was there before
  }

  @Override
  public int id() {
    return id;
  }

  @Override
  public MemorySegment memory() {
    return map.memory();
  }

  @Override
  public void close() {
    Quietly.close(map);
    Quietly.close(() ->
        segment.setUnavailable(adapter.number(), adapter.library().constants().forceDisconnect()));
    Quietly.close(segment);
    Quietly.close(device);
  }
}
