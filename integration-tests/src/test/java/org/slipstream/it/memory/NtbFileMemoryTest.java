package org.slipstream.it.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.slipstream.memory.Domain;

/** Over files, each of which joins the owner, node 1, with one client. */
class NtbFileMemoryTest extends NtbMemoryContract {
  private static final int CLIENTS = 3;
  private static final long BYTES = 32 << 20;
  private int domains;

  private Path file(int client) {
    return directory.path().resolve("window-" + client);
  }

  @Override
  protected Domain domain() throws IOException {
    int node = ++domains; // the first one is the owner
    if (node == 1) {
      makeFiles();
    }
    StringBuilder ways = new StringBuilder("127.0.0.1");
    StringBuilder others = new StringBuilder();
    for (int client = 2; client <= CLIENTS + 1; client++) {
      if (node == 1 || node == client) {
        ways.append(" 1@").append(file(client));
        others.append("127.0.0.%1$d %1$d@%2$s%n".formatted(client, file(client)));
      }
    }
    Path hosts = directory.path().resolve("hosts-" + node);
    Files.writeString(hosts, ways + "\n" + others);
    set("slipstream.ntb.hosts", hosts);
    set("slipstream.ntb.node", node);
    return super.domain();
  }

  /** An idle owner looks every millisecond. */
  @Override
  int mappings() {
    return 1_000;
  }

  /** The file is one process's of each node; what needs no file goes on. */
  @Test
  void aDomainForWhichAFileIsTakenHasItsOtherMedia() throws Exception {
    set("slipstream.transports", "shm,ntb");
    set("slipstream.ntb.node", 1);
    set("slipstream.ntb.hosts", directory.path().resolve("hosts-1"));
    try (Domain first = Domain.open(directory.path().resolve("r"));
        Domain second = Domain.open(directory.path().resolve("r"))) {
      first.export("here", 64, ALL);
      assertThat(second.map(first.owner(), "here").direct()).isPresent();
    }
    set("slipstream.transports", "ntb");
    assertThatThrownBy(() -> Domain.open(directory.path().resolve("r")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("is used by this process already");
  }

  private void makeFiles() throws IOException {
    for (int client = 2; client <= CLIENTS + 1; client++) {
      try (RandomAccessFile file = new RandomAccessFile(file(client).toFile(), "rw")) {
        file.setLength(BYTES);
      }
    }
  }
}
