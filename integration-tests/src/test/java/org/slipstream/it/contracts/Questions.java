package org.slipstream.it.contracts;

import java.util.ArrayList;
import java.util.List;

/** The methods of one object, each with its arguments. */
final class Questions {
  private record Question(String name, Probe.Call call) {}

  private final List<Question> all = new ArrayList<>();

  void see(String name, Probe.Call call) {
    all.add(new Question(name, call));
  }

  void add(String name, Probe.Deed deed) {
    see(
        name,
        () -> {
          deed.run();
          return "done";
        });
  }

  int size() {
    return all.size();
  }

  /** Asks one of them. */
  void ask(int question, String state) {
    Probe.see(state + ": " + all.get(question).name(), all.get(question).call());
  }
}
