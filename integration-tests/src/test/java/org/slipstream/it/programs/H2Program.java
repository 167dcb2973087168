package org.slipstream.it.programs;

import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.h2.tools.Server;

/** The H2 database as a server, and its JDBC driver moving money to and fro. */
public final class H2Program {
  private static final int ACCOUNTS = 20;
  private static final int BALANCE = 1000;
  private static final int TELLERS = 4;
  private static final int TRANSFERS = 100;

  private H2Program() {}

  public static void main(String[] args) throws Exception {
    if (args.length > 1) {
      String url =
          "jdbc:h2:tcp://127.0.0.1:" + args[1] + "/mem:bank;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=20000";
      if (args[0].equals("load")) {
        try (Connection connection = DriverManager.getConnection(url)) {
          open(connection);
        }
        Load.serve(() -> new Teller(url, new Random())::transfer);
      }
      bank(url);
      return;
    }
    Server server = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
    Role.serving(server.getPort());
  }

  private static void bank(String url) throws Exception {
    try (Connection connection = DriverManager.getConnection(url)) {
      open(connection);
      try (ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
        List<Future<?>> tellers = new ArrayList<>();
        for (int i = 0; i < TELLERS; i++) {
          int seed = i;
          tellers.add(pool.submit(() -> work(url, new Random(seed))));
        }
        for (Future<?> teller : tellers) {
          teller.get();
        }
      }
      if (count(connection, "select sum(balance) from account") != ACCOUNTS * BALANCE
          || count(connection, "select count(*) from entry") != TELLERS * TRANSFERS) {
        throw new IOException("money was lost");
      }
      for (int i = 0; i < 300; i++) {
        count(connection, "select sum(length(note)) from account where balance > " + i);
      }
      Role.done(TELLERS * TRANSFERS + " transactions");
    }
  }

  private static void open(Connection connection) throws SQLException {
    try (Statement s = connection.createStatement()) {
      s.execute("create table account(id int primary key, balance int, note varchar(500))");
      s.execute("create table entry(id identity, amount int)");
      s.execute(
          "insert into account select x, "
              + BALANCE
              + ", repeat('n', 500) from "
              + "system_range(1, "
              + ACCOUNTS
              + ")");
    }
  }

  private static Void work(String url, Random random) throws SQLException {
    try (Teller teller = new Teller(url, random)) {
      for (int i = 0; i < TRANSFERS; i++) {
        teller.transfer();
      }
      return null;
    }
  }

  /** A client that moves money, with a connection of its own. */
  private static final class Teller implements AutoCloseable {
    private final Random random;
    private final Connection connection;
    private final PreparedStatement read;
    private final PreparedStatement update;
    private final PreparedStatement note;

    Teller(String url, Random random) throws SQLException {
      this.random = random;
      connection = DriverManager.getConnection(url);
      connection.setAutoCommit(false);
      read =
          connection.prepareStatement(
              "select * from account where id in (?, ?) order by id for update");
      update = connection.prepareStatement("update account set balance = balance + ? where id = ?");
      note = connection.prepareStatement("insert into entry(amount) values(?)");
    }

    /** Locks in the order of ids, so that no two transfers wait for each other. */
    void transfer() throws SQLException {
      int one = 1 + random.nextInt(ACCOUNTS - 1);
      int other = one + 1;
      int amount = random.nextInt(100) - 50;
      read.setInt(1, one);
      read.setInt(2, other);
      read.executeQuery().close();
      move(update, one, amount);
      move(update, other, -amount);
      note.setInt(1, amount);
      note.executeUpdate();
      connection.commit();
    }

    @Override
    public void close() throws SQLException {
      connection.close(); // and with it its statements
    }
  }

  private static void move(PreparedStatement update, int id, int amount) throws SQLException {
    update.setInt(1, amount);
    update.setInt(2, id);
    update.executeUpdate();
  }

  private static long count(Connection connection, String sql) throws SQLException {
    try (Statement s = connection.createStatement();
        ResultSet r = s.executeQuery(sql)) {
      r.next();
      return r.getLong(1);
    }
  }
}
