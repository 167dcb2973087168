package org.slipstream.servers.services;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.slipstream.servers.Loop;

/** Transactions as of pgbench: an update, a select and an insert each; the sums are compared. */
public final class H2Load {
  private static final int ACCOUNTS = 1000;

  private H2Load() {}

  /**
   * {@code JDBC-URL}.
   *
   * @param args see above
   */
  public static void main(String[] args) throws Exception {
    try (Connection connection = DriverManager.getConnection(args[0]);
        Statement statement = connection.createStatement()) {
      statement.execute("create table accounts(id int primary key, balance bigint)");
      statement.execute("create table history(id int, amount bigint)");
      statement.execute("insert into accounts select x, 0 from system_range(0, " + ACCOUNTS + ")");
      connection.setAutoCommit(false);
      Random random = new Random(1);
      AtomicLong sum = new AtomicLong();
      try (PreparedStatement update =
              connection.prepareStatement(
                  "update accounts set balance = balance + ? where id = ?");
          PreparedStatement select =
              connection.prepareStatement("select balance from accounts where id = ?");
          PreparedStatement insert =
              connection.prepareStatement("insert into history values(?, ?)")) {
        Loop.serve(
            1,
            () -> {
              int account = random.nextInt(ACCOUNTS);
              long amount = random.nextInt(10_000);
              sum.addAndGet(amount);
              update.setLong(1, amount);
              update.setInt(2, account);
              update.executeUpdate();
              select.setInt(1, account);
              try (ResultSet row = select.executeQuery()) {
                require(row.next() && row.getLong(1) >= amount);
              }
              insert.setInt(1, account);
              insert.setLong(2, amount);
              insert.executeUpdate();
              connection.commit();
            });
      }
      try (ResultSet row =
          statement.executeQuery(
              "select (select sum(balance) from accounts), (select sum(amount) from history)")) {
        require(row.next() && row.getLong(1) == sum.get() && row.getLong(2) == sum.get());
      }
    }
  }

  private static void require(boolean right) {
    if (!right) {
      throw new IllegalStateException("another balance came back");
    }
  }
}
