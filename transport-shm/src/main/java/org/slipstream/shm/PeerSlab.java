package org.slipstream.shm;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.slipstream.transport.Link;
import org.slipstream.transport.Window;
import org.slipstream.transport.slab.CoherentLink;
import org.slipstream.transport.slab.SlabLayout;
import org.slipstream.transport.slab.Uses;

/** A slab of the peer's windows, mapped by us to write into. Reactor only. */
final class PeerSlab {
  private final SlabLayout layout;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory;
  private final Uses links = new Uses(arena::close);

  PeerSlab(Path path, SlabLayout layout) throws IOException {
    this.layout = layout;
    layout.check();
    if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
      throw new IOException(path + " is not a regular file");
    }
    try (FileChannel channel =
        FileChannel.open(
            path, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
      if (channel.size() != layout.bytes()) {
        throw new IOException(path + " has " + channel.size() + " bytes, not " + layout.bytes());
      }
      memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, layout.bytes(), arena);
    } catch (IOException e) {
      arena.close();
      throw new IOException("A slab of the peer can not be mapped: " + e.getMessage(), e);
    } catch (RuntimeException | Error e) { // of a full heap: the session ends, and is made again
      arena.close();
      throw e;
    }
  }

  /** Joins a slot; the slot number is the peer's word. */
  Link join(Window own, int slot) throws IOException {
    layout.check(slot);
    if (!links.begin()) {
      throw new IOException("the session is over");
    }
    try {
      return new CoherentLink(
          own, layout.control(memory, slot), layout.ring(memory, slot), links::done);
    } catch (RuntimeException | Error e) {
      links.done();
      throw e;
    }
  }

  void sessionEnded() {
    links.end();
  }
}
