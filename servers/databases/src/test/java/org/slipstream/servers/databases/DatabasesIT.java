package org.slipstream.servers.databases;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.servers.Comparison;
import org.slipstream.servers.Jvm;
import org.slipstream.servers.Least;
import org.slipstream.servers.Loop;
import org.slipstream.servers.Run;
import org.slipstream.servers.Scenario.Figures;
import org.slipstream.servers.Scenario.Load;

/**
 * A log of SQL statements through one connection: by a client that is started for it, as {@code
 * psql} is, and by one that stays.
 */
class DatabasesIT {
  /** The length of the log in the paper about the preload library. */
  private static final int STATEMENTS = 39_705;

  private static final int ACCOUNTS = 100_000;

  /** Of a test. */
  private static final int FEW_STATEMENTS = 5_000;

  private static final int FEW_ACCOUNTS = 1_000;

  private static final int PATIENCE_S = 600;
  private static final List<String> SMALL = List.of("-Xmx192m");
  private static final List<String> LARGE = List.of("-Xmx1g");

  /** A server, in memory. */
  enum Database {
    H2("H2", "simple", "TCP server running"),
    DERBY("Derby", "prepared", "started and ready to accept connections"),
    HSQLDB("HSQLDB", "simple", "is online|Startup sequence completed");

    final String title;
    final String statements;
    private final String ready;

    Database(String title, String statements, String ready) {
      this.title = title;
      this.statements = statements;
      this.ready = ready;
    }

    /** Starts it, and returns where it is. */
    String start(Run run) throws Exception {
      String port = Integer.toString(Run.freePort());
      List<String> command =
          switch (this) {
            case H2 -> List.of("org.h2.tools.Server", "-tcp", "-tcpPort", port, "-ifNotExists");
            case DERBY ->
                List.of(
                    "org.apache.derby.drda.NetworkServerControl",
                    "start",
                    "-h",
                    "127.0.0.1",
                    "-p",
                    port,
                    "-noSecurityManager");
            case HSQLDB ->
                List.of(
                    "org.hsqldb.server.Server",
                    "--address",
                    "127.0.0.1",
                    "--port",
                    port,
                    "--database.0",
                    "mem:bank",
                    "--dbname.0",
                    "bank");
          };
      run.server("database", LARGE, command.toArray(String[]::new)).await(ready, 60);
      return switch (this) {
        case H2 ->
            "jdbc:h2:tcp://127.0.0.1:" + port + "/mem:bank;DB_CLOSE_DELAY=-1;USER=sa;PASSWORD=sa";
        case DERBY ->
            "jdbc:derby://127.0.0.1:" + port + "/memory:bank;create=true;user=sa;password=sa";
        case HSQLDB -> "jdbc:hsqldb:hsql://127.0.0.1:" + port + "/bank;user=SA;password=";
      };
    }
  }

  /** A bank on a server, and a log for it. */
  private abstract static class Bench implements Load {
    final Run run;
    final int statements;
    private final Database database;
    private final String url;
    private final Path log;
    private double replayed;

    Bench(Run run, Database database) throws Exception {
      this.run = run;
      this.database = database;
      this.statements = run.scale() > 1 ? STATEMENTS : FEW_STATEMENTS;
      int accounts = run.scale() > 1 ? ACCOUNTS : FEW_ACCOUNTS;
      this.log = run.directory().resolve("log.sql");
      SqlLog.write(log, statements, accounts);
      this.url = database.start(run);
      run.prepare("open", SMALL, Bank.class.getName(), "open", url, Integer.toString(accounts));
    }

    final Jvm client(String name, String how) throws Exception {
      List<String> command = new ArrayList<>(List.of(SqlReplay.class.getName(), how));
      command.addAll(List.of(database.statements, url, log.toString()));
      command.add(run.directory().resolve("results").toString());
      return run.client(name, SMALL, command.toArray(String[]::new));
    }

    abstract Figures replay() throws Exception;

    @Override
    public final Figures turn() throws Exception {
      Figures figures = replay();
      replayed += figures.amount() / statements;
      return figures;
    }

    @Override
    public void end() throws Exception {
      String times = Long.toString(Math.round(replayed));
      run.prepare("check", SMALL, Bank.class.getName(), "check", url, log.toString(), times);
    }
  }

  /** A client for each replay. */
  private static final class NewClient extends Bench {
    private int clients;

    NewClient(Run run, Database database) throws Exception {
      super(run, database);
    }

    @Override
    Figures replay() throws Exception {
      long start = System.nanoTime();
      client("client-" + ++clients, "once").finish(PATIENCE_S);
      double seconds = (System.nanoTime() - start) / 1e9;
      return new Figures(statements, statements / seconds, Double.NaN, Double.NaN);
    }
  }

  /** One client for all replays. */
  private static final class SameClient extends Bench {
    /** So many replays, and the compilers are silent. */
    private static final int WARM = 5;

    private final Load loop;

    SameClient(Run run, Database database) throws Exception {
      super(run, database);
      this.loop = Loop.of(run, client("client", "again"), 1);
      for (int i = 0; i < WARM && run.scale() > 1; i++) {
        turn();
      }
    }

    @Override
    Figures replay() throws Exception {
      Figures figures = loop.turn();
      return new Figures(figures.amount(), figures.perSecond(), Double.NaN, Double.NaN);
    }

    @Override
    public void end() throws Exception {
      loop.end();
      super.end();
    }
  }

  @ParameterizedTest
  @EnumSource(Database.class)
  void aLogTravelsOnTheRingAndWithoutIt(Database database) throws Exception {
    for (boolean fresh : List.of(true, false)) {
      Comparison.run(
          database.title + (fresh ? ", new client" : ", warm client"),
          "statements/s",
          STATEMENTS,
          Least.of(0.8),
          run -> fresh ? new NewClient(run, database) : new SameClient(run, database));
    }
  }
}
