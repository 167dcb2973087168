package org.slipstream.servers.databases;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/**
 * A log of statements as {@code pgbench} sends them, transaction after transaction of its TPC-B
 * mix: three updates, a select and an insert. The same seed makes the same log.
 */
final class SqlLog {
  static final int OF_A_TRANSACTION = 5;

  static final int TELLERS = 10;
  static final int BRANCHES = 1;

  private static final long SEED = 39_705;
  private static final int LARGEST_DELTA = 5000;

  private SqlLog() {}

  /**
   * Writes it, one statement a line, as {@code psql} reads it.
   *
   * @param file is written anew
   * @param statements a multiple of {@link #OF_A_TRANSACTION}
   * @param accounts to choose from
   */
  static void write(Path file, int statements, int accounts) throws IOException {
    Random random = new Random(SEED);
    try (Writer log = Files.newBufferedWriter(file)) {
      for (int i = 0; i < statements / OF_A_TRANSACTION; i++) {
        int account = 1 + random.nextInt(accounts);
        int teller = 1 + random.nextInt(TELLERS);
        int delta = random.nextInt(2 * LARGEST_DELTA + 1) - LARGEST_DELTA;
        log.write(
            """
            UPDATE pgbench_accounts SET abalance = abalance + %2$d WHERE aid = %1$d;
            SELECT abalance FROM pgbench_accounts WHERE aid = %1$d;
            UPDATE pgbench_tellers SET tbalance = tbalance + %2$d WHERE tid = %3$d;
            UPDATE pgbench_branches SET bbalance = bbalance + %2$d WHERE bid = 1;
            INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES (%3$d, 1, %1$d, %2$d, CURRENT_TIMESTAMP);
            """
                .formatted(account, delta, teller));
      }
    }
  }
}
