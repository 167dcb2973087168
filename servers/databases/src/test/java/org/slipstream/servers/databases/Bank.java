package org.slipstream.servers.databases;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** The tables that a log works on: makes them, and compares their sums with what was replayed. */
public final class Bank {
  private static final String HISTORY = "INSERT INTO pgbench_history";

  private Bank() {}

  /**
   * {@code open JDBC-URL ACCOUNTS}, or {@code check JDBC-URL LOG REPLAYS}.
   *
   * @param args see above
   */
  public static void main(String[] args) throws Exception {
    try (Connection connection = DriverManager.getConnection(args[1])) {
      if (args[0].equals("open")) {
        open(connection, Integer.parseInt(args[2]));
      } else {
        check(connection, Files.readAllLines(Path.of(args[2])), Long.parseLong(args[3]));
      }
    }
  }

  private static void open(Connection connection, int accounts) throws Exception {
    try (Statement statement = connection.createStatement()) {
      for (String table :
          List.of(
              "branches(bid int not null primary key, bbalance int, filler char(88))",
              "tellers(tid int not null primary key, bid int, tbalance int, filler char(84))",
              "accounts(aid int not null primary key, bid int, abalance int, filler char(84))",
              "history(tid int, bid int, aid int, delta int, mtime timestamp, filler char(22))")) {
        statement.execute("create table pgbench_" + table);
      }
    }
    rows(connection, "branches", "1, 0, ''", "bid", SqlLog.BRANCHES);
    rows(connection, "tellers", "1, 1, 0, ''", "tid", SqlLog.TELLERS);
    rows(connection, "accounts", "1, 1, 0, ''", "aid", accounts);
  }

  /**
   * The server copies the first row until there are enough: what comes over the wire counts as the
   * server's bytes, and this is no part of the load.
   */
  private static void rows(Connection connection, String table, String first, String id, int count)
      throws SQLException {
    String rest = first.substring(first.indexOf(','));
    try (Statement statement = connection.createStatement()) {
      statement.execute("insert into pgbench_%s values(%s)".formatted(table, first));
      for (int rows = 1; rows < count; rows *= 2) {
        statement.execute(
            "insert into pgbench_%1$s select %2$s + %3$d%4$s from pgbench_%1$s where %2$s + %3$d <= %5$d"
                .formatted(table, id, rows, rest, count));
      }
    }
  }

  /** Each statement of the log has been executed so often, and no other. */
  private static void check(Connection connection, List<String> log, long replays)
      throws Exception {
    long sum = 0;
    long transactions = 0;
    for (String line : log) {
      if (line.startsWith(HISTORY)) {
        sum += Long.parseLong(line.split(", ", -1)[7]);
        transactions++;
      }
    }
    require(connection, "sum(abalance) from pgbench_accounts", replays * sum);
    require(connection, "sum(tbalance) from pgbench_tellers", replays * sum);
    require(connection, "sum(bbalance) from pgbench_branches", replays * sum);
    require(connection, "sum(delta) from pgbench_history", replays * sum);
    require(connection, "count(*) from pgbench_history", replays * transactions);
  }

  private static void require(Connection connection, String what, long expected) throws Exception {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("select " + what)) {
      row.next();
      if (row.getLong(1) != expected) {
        throw new IllegalStateException(what + " is " + row.getLong(1) + ", not " + expected);
      }
    }
  }
}
