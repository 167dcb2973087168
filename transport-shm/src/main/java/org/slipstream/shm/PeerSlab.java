package org.slipstream.shm;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.slipstream.transport.ControlLayout;

/** A slab of the peer's windows, mapped by us to write into. Reactor only. */
final class PeerSlab {
  private final SlabLayout layout;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory;
  private int links;
  private boolean ended;

  PeerSlab(Path path, SlabLayout layout) throws IOException {
    this.layout = layout;
    if (!layout.isValid()) {
      throw new IOException("Peer describes an impossible slab: " + layout);
    }
    if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
      throw new IOException(path + " is not a regular file");
    }
    try (FileChannel channel =
        FileChannel.open(
            path, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
      if (channel.size() != layout.fileBytes()) {
        throw new IOException(
            path + " has " + channel.size() + " bytes, not " + layout.fileBytes());
      }
      memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, layout.fileBytes(), arena);
    } catch (IOException | OutOfMemoryError e) {
      arena.close();
      throw new IOException("A slab of the peer can not be mapped: " + e.getMessage(), e);
    }
  }

  /** Joins a slot; the slot number is the peer's word. */
  ShmLink join(ShmWindow own, int slot) throws IOException {
    if (slot < 0 || slot >= layout.slots() || ended) {
      throw new IOException("Peer names slot " + slot + " of " + layout.slots());
    }
    links++;
    return new ShmLink(
        this,
        own,
        memory.asSlice(layout.controlOffset(slot), ControlLayout.BYTES),
        memory.asSlice(layout.ringOffset(slot), layout.ringBytes()));
  }

  void released() {
    links--;
    closeIfDone();
  }

  void sessionEnded() {
    ended = true;
    closeIfDone();
  }

  private void closeIfDone() {
    if (ended && links == 0 && arena.scope().isAlive()) {
      arena.close();
    }
  }
}
