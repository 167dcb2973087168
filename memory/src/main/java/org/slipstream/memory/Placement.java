package org.slipstream.memory;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * On which servers the chunks of a named reservation are, as an entry of a {@link MemoryDirectory}
 * says it: three lines. What is read was written by another process.
 *
 * <pre>
 *   LABEL                 by which the servers know the reservation: 32 hexadecimal digits
 *   OWNER OWNER ...       keys of the servers
 *   INDEX INDEX ...       for each chunk, which of them has it
 * </pre>
 *
 * @param label of the reservation
 * @param owners servers, each once
 * @param servers of each chunk, counted from 0
 */
record Placement(String label, List<Owner> owners, List<Integer> servers) {
  private static final String LABEL = "[0-9a-f]{32}";
  private static final int LINES = 3;

  /** Of the owners of the chunks, in their order. */
  static Placement of(String label, List<Owner> owners) {
    List<Owner> different = owners.stream().distinct().toList();
    return new Placement(label, different, owners.stream().map(different::indexOf).toList());
  }

  int chunks() {
    return servers.size();
  }

  Owner owner(int chunk) {
    return owners.get(servers.get(chunk));
  }

  String encode() {
    return label
        + "\n"
        + String.join(" ", owners.stream().map(Owner::key).toList())
        + "\n"
        + String.join(" ", servers.stream().map(String::valueOf).toList());
  }

  /** Whether the chunks of the reservation have been taken: before that its label stands alone. */
  static boolean isMade(String text) {
    return !text.matches(LABEL);
  }

  static Placement decode(String text) throws IOException {
    String[] lines = text.split("\n", -1);
    if (lines.length != LINES || !lines[0].matches(LABEL)) {
      throw nonsense(text);
    }
    List<Owner> owners = new ArrayList<>();
    for (String key : lines[1].split(" ", -1)) {
      Owner owner = Owner.ofKey(key);
      if (owner == null) {
        throw nonsense(text);
      }
      owners.add(owner);
    }
    List<Integer> servers = new ArrayList<>();
    for (String index : lines[2].split(" ", -1)) {
      if (!index.matches("\\d{1,9}") || Integer.parseInt(index) >= owners.size()) {
        throw nonsense(text);
      }
      servers.add(Integer.parseInt(index));
    }
    return new Placement(lines[0], owners, servers);
  }

  private static IOException nonsense(String text) {
    String shown = text.length() < 100 ? text : text.substring(0, 100);
    return new IOException("The directory has an entry that is no placement: '" + shown + "'");
  }
}
