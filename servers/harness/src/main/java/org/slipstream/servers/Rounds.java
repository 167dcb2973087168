package org.slipstream.servers;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.slipstream.servers.Scenario.Figures;
import org.slipstream.servers.Scenario.Load;

/**
 * The turns of all arms; an index is a round.
 *
 * @param turns of each arm, in the order of the arms
 */
record Rounds(List<List<Turn>> turns) {

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
   * Takes turns. The first arm begins the first round, the second one the second, and so on: what a
   * turn leaves behind, such as pages to be written, meets each arm equally often, or once more
   * where the rounds do not divide.
   *
   * @param count of rounds
   * @param arms one turn of each
   * @param after is told after each round
   * @return all of them
   * @throws Exception whatever a turn throws
   */
  static Rounds take(int count, List<Callable<Turn>> arms, Consumer<Rounds> after)
      throws Exception {
    Rounds rounds =
        new Rounds(arms.stream().map(arm -> (List<Turn>) new ArrayList<Turn>()).toList());
    for (int round = 0; round < count; round++) {
      for (int i = 0; i < arms.size(); i++) {
        int arm = (round + i) % arms.size();
        rounds.turns.get(arm).add(arms.get(arm).call());
      }
      after.accept(rounds);
    }
    return rounds;
  }
}
