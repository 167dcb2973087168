package org.slipstream.servers.databases;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slipstream.servers.Loop;

/**
 * Replays a log through one connection as {@code psql -f LOG -o OUTPUT} does: a statement a line,
 * each in a transaction of its own, and what comes back goes to a file.
 */
public final class SqlReplay implements AutoCloseable {
  private static final Pattern NUMBER = Pattern.compile("(?<![\\w.])-?\\d+");

  private final Connection connection;
  private final List<String> log;
  private final Path output;
  private final boolean prepared;
  private final Map<String, PreparedStatement> statements = new HashMap<>();

  private SqlReplay(String url, Path log, Path output, boolean prepared)
      throws SQLException, IOException {
    this.connection = DriverManager.getConnection(url);
    this.log = Files.readAllLines(log);
    this.output = output;
    this.prepared = prepared;
  }

  /**
   * {@code once|again simple|prepared JDBC-URL LOG OUTPUT}: replays the log once, or as often as
   * the harness says; as text, or with the numbers as parameters of statements that are kept, as
   * {@code pgbench -M simple} and {@code -M prepared}.
   *
   * @param args see above
   */
  public static void main(String[] args) throws Exception {
    try (SqlReplay replay =
        new SqlReplay(args[2], Path.of(args[3]), Path.of(args[4]), args[1].equals("prepared"))) {
      if (args[0].equals("once")) {
        replay.run();
      } else {
        Loop.serve(replay.log.size(), replay::run);
      }
    }
  }

  private void run() throws SQLException, IOException {
    try (Writer out = Files.newBufferedWriter(output);
        Statement statement = connection.createStatement()) {
      for (String line : log) {
        String sql = line.substring(0, line.length() - 1);
        if (prepared) {
          PreparedStatement kept = kept(sql);
          print(out, sql, kept, kept.execute());
        } else {
          print(out, sql, statement, statement.execute(sql));
        }
      }
    }
  }

  private PreparedStatement kept(String sql) throws SQLException {
    Matcher number = NUMBER.matcher(sql);
    String shape = number.replaceAll("?");
    PreparedStatement statement = statements.get(shape);
    if (statement == null) {
      statement = connection.prepareStatement(shape);
      statements.put(shape, statement);
    }
    number.reset();
    for (int i = 1; number.find(); i++) {
      statement.setInt(i, Integer.parseInt(number.group()));
    }
    return statement;
  }

  private static void print(Writer out, String sql, Statement statement, boolean rows)
      throws SQLException, IOException {
    int count = 0;
    if (rows) {
      try (ResultSet result = statement.getResultSet()) {
        for (; result.next(); count++) {
          out.write(" " + result.getString(1) + "\n");
        }
      }
      out.write("(" + count + " row)\n\n");
    } else {
      count = statement.getUpdateCount();
      out.write(sql.substring(0, 6) + " " + count + "\n");
    }
    if (count != 1) {
      throw new IllegalStateException(count + " rows and not one: " + sql);
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close(); // and with it its statements
  }
}
