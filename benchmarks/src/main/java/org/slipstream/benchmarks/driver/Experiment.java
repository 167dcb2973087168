package org.slipstream.benchmarks.driver;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.slipstream.benchmarks.programs.Slice;

/** Runs a plan: all teams at once, in turns, size by size. */
final class Experiment implements Measurement {
  private final Plan plan;
  private final CarrierCheck check;
  private final Progress progress;
  private final Cores cores;
  private final Summary summary;

  /** Prepares a run; nothing is started yet. */
  Experiment(Plan plan, CarrierCheck check, Progress progress) {
    this.plan = plan;
    this.check = check;
    this.progress = progress;
    this.cores = Cores.choose(plan);
    this.summary = new Summary(plan);
  }

  @Override
  public String cores() {
    return cores.description();
  }

  @Override
  public void run(Consumer<List<Row>> sink) throws BenchmarkFailure, InterruptedException {
    List<Team> teams = new ArrayList<>();
    try (Launcher launcher = new Launcher(plan, cores)) {
      try {
        startAll(launcher, teams);
        for (int size : plan.sizes()) {
          sink.accept(measure(teams, size));
        }
        progress.clear();
        teams.forEach(Team::close);
      } catch (BenchmarkFailure failure) {
        progress.clear();
        throw launcher.ended()
            ? new BenchmarkFailure("The run was interrupted.", failure)
            : failure;
      }
    }
  }

  private void startAll(Launcher launcher, List<Team> teams)
      throws BenchmarkFailure, InterruptedException {
    int port = plan.port();
    for (Carrier carrier : plan.carriers()) {
      progress.show("starting " + carrier.label());
      teams.add(Team.start(launcher, carrier, port));
      if (port != 0 && carrier != Carrier.RAW) {
        port += plan.pairs();
      }
    }
    for (Team team : teams) {
      progress.show("warming up " + team.carrier().label());
      team.run(plan.firstWarmup());
    }
    // The starting point: all that travels from here on has to travel over the ring.
    verify(teams);
  }

  private List<Row> measure(List<Team> teams, int size)
      throws BenchmarkFailure, InterruptedException {
    Map<Carrier, List<Round>> rounds = new EnumMap<>(Carrier.class);
    for (Team team : teams) {
      rounds.put(team.carrier(), new ArrayList<>());
      team.run(plan.sizeWarmup(size));
    }
    Slice turn = plan.turn(size);
    for (int round = 0; round < plan.rounds(); round++) {
      progress.round(size, round);
      // There and back again, so that a drift of the machine hits all carriers alike.
      for (Team team : round % 2 == 0 ? teams : teams.reversed()) {
        rounds.computeIfAbsent(team.carrier(), unseen -> new ArrayList<>()).add(team.run(turn));
      }
    }
    Map<Carrier, String> complaints = verify(teams);
    progress.clear();
    return summary.rows(size, rounds, complaints);
  }

  private Map<Carrier, String> verify(List<Team> teams) throws InterruptedException {
    Map<Carrier, String> complaints = new EnumMap<>(Carrier.class);
    if (plan.exercise() == Exercise.CONNECT) {
      // Short connections are meant to stay plain: there is no ring to look for.
      return complaints;
    }
    for (Team team : teams) {
      if (team.carrier().isAccelerated()) {
        check
            .verify(team.children().stream().map(Child::pid).toList())
            .ifPresent(complaint -> complaints.put(team.carrier(), complaint));
      }
    }
    return complaints;
  }
}
