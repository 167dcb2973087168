package org.slipstream.servers;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.slipstream.servers.Scenario.Figures;
import org.slipstream.servers.Scenario.Load;

/**
 * The turns of both sides; an index is a round.
 *
 * @param off without Slipstream
 * @param on with it
 */
record Rounds(List<Turn> off, List<Turn> on) {

  /**
   * What a turn brought.
   *
   * @param figures of the load
   * @param server processor time of all servers
   * @param client processor time of all clients
   */
  record Turn(Figures figures, Cpu server, Cpu client) {
    static Turn of(Run run, Load load) throws Exception {
      Cpu servers = run.serverCpu();
      Cpu clients = run.clientCpu();
      Figures figures = load.turn();
      return new Turn(figures, run.serverCpu().minus(servers), run.clientCpu().minus(clients));
    }
  }

  /**
   * Takes turns. Off begins the first round, on the second, and so on: what a turn leaves behind,
   * such as pages to be written, meets each side equally often, or once more in an odd number.
   *
   * @param count of rounds
   * @param off one turn
   * @param on one turn
   * @param after is told after each round
   * @return all of them
   * @throws Exception whatever a turn throws
   */
  static Rounds take(int count, Callable<Turn> off, Callable<Turn> on, Consumer<Rounds> after)
      throws Exception {
    Rounds rounds = new Rounds(new ArrayList<>(), new ArrayList<>());
    for (int round = 0; round < count; round++) {
      if (round % 2 == 0) {
        rounds.off.add(off.call());
        rounds.on.add(on.call());
      } else {
        rounds.on.add(on.call());
        rounds.off.add(off.call());
      }
      after.accept(rounds);
    }
    return rounds;
  }
}
