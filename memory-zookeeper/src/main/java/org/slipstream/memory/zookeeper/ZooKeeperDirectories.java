package org.slipstream.memory.zookeeper;

import java.io.IOException;
import org.slipstream.memory.MemoryDirectory;
import org.slipstream.memory.MemoryDirectoryProvider;

/** For {@code slipstream memory serve --zookeeper}. */
public final class ZooKeeperDirectories implements MemoryDirectoryProvider {
  /** Made by ServiceLoader. */
  public ZooKeeperDirectories() {}

  @Override
  public String name() {
    return "zookeeper";
  }

  @Override
  public MemoryDirectory connect(String where) throws IOException, InterruptedException {
    return ZooKeeperDirectory.connect(where);
  }
}
