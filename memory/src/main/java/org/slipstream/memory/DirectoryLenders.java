package org.slipstream.memory;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slipstream.memory.Questions.Answer;
import org.slipstream.memory.Questions.Poll;
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.MemoryShortage;
import org.slipstream.transport.Session;

/**
 * The memory servers that a {@link MemoryDirectory} lists, which may be on several hosts.
 *
 * <pre>
 *   servers/SINCE_OWNER     its owner    a server's, as long as it runs: since when, in milliseconds, and its owner's key
 *   holders/HOLDER          HOLDER       a client's, as long as its session; servers end its leases when it is gone
 *   names/n-NAME            Placement    a client's, as long as the reservation; only its label while it is being made
 * </pre>
 *
 * A name is unique because an entry is. Servers know a named reservation by a random label, which
 * no other has: so nothing of an earlier one is found by the same name while its chunks come back.
 */
final class DirectoryLenders implements Lenders {
  static final String SERVERS = "servers";
  static final String HOLDERS = "holders/";
  private static final String NAMES = "names/n-";

  /** A session with another host takes longer to make than one on this host. */
  private static final Duration IMPATIENCE = Duration.ofSeconds(3);

  private static final int ID_BYTES = 16;

  private static final LazyLogger LOG = new LazyLogger("org.slipstream.memory");

  private final Questions questions;
  private final MemoryDirectory directory;

  /** By what servers know this process; guarded by this. */
  private @Nullable String holder;

  DirectoryLenders(Questions questions, MemoryDirectory directory) {
    this.questions = questions;
    this.directory = directory;
  }

  /** The second part of the path of a server's entry. */
  static String serverEntry(long sinceMillis, Owner owner) {
    return "%016x_%s".formatted(sinceMillis, owner.key());
  }

  /** 32 hexadecimal digits that no other process makes. */
  private static String random() {
    byte[] bytes = new byte[ID_BYTES];
    new SecureRandom().nextBytes(bytes);
    return Grant.hex(bytes);
  }

  /** With a new entry if the last one ended: its leases have ended, too. */
  private synchronized String holder() throws IOException, InterruptedException {
    String now = holder;
    if (now == null || directory.read(HOLDERS + now) == null) {
      now = random();
      if (!directory.create(HOLDERS + now, now)) {
        throw new IOException("the directory has an entry that was never made");
      }
      holder = now;
    }
    return now;
  }

  /** Asks in the name of an entry, and finds the server again if the session with it ended. */
  private record Asking(Questions questions, String holder, Owner owner, Session session)
      implements Lender {
    @Override
    public Poll ask(String question) {
      return questions.ask(session, owner, "as " + holder + " " + question);
    }

    /** The end of the session ends no lease here, so this must not be lost with it. */
    @Override
    public void give(long reservation, String chunk) {
      questions.tell(session, owner, "as " + holder + " give " + reservation + " " + chunk);
    }
  }

  @Override
  public List<Offer> offers() throws IOException, InterruptedException {
    String asking = holder();
    List<Owner> owners = new ArrayList<>();
    List<Poll> polls = new ArrayList<>();
    for (Owner owner : servers()) {
      owners.add(owner);
      polls.add(questions.ask(owner, "hail "));
    }
    List<Offer> offers = new ArrayList<>();
    long deadline = System.nanoTime() + IMPATIENCE.toNanos();
    for (int i = 0; i < polls.size(); i++) {
      Duration left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
      for (Answer answer : polls.get(i).await(left)) {
        String[] words = answer.text().split(" ", -1);
        if (words[0].equals("server")) {
          Lender lender = new Asking(questions, asking, owners.get(i), answer.session());
          offers.add(new Offer(lender, Long.parseLong(words[2]), Integer.parseInt(words[3])));
        }
      }
    }
    if (offers.isEmpty()) {
      throw new IOException(
          owners.isEmpty()
              ? "The directory lists no memory server; start one with that directory"
              : "None of the " + owners.size() + " memory servers of the directory answers");
    }
    return offers;
  }

  /** The eldest first. One that was started anew may be listed twice for a while. */
  private Set<Owner> servers() throws IOException, InterruptedException {
    Set<Owner> owners = new LinkedHashSet<>();
    for (String entry : directory.list(SERVERS)) {
      Owner owner = Owner.ofKey(entry.substring(entry.indexOf('_') + 1));
      if (owner != null) {
        owners.add(owner);
      }
    }
    return owners;
  }

  private static String nameEntry(String name) {
    return NAMES + URLEncoder.encode(name, StandardCharsets.UTF_8);
  }

  @Override
  public Named reserve(String name, Chunks chunks) throws IOException, InterruptedException {
    String entry = nameEntry(name);
    String label = random();
    if (!directory.create(entry, label)) {
      throw Lenders.taken(name);
    }
    List<Chunk> taken = new ArrayList<>();
    Set<String> texts = new HashSet<>(Set.of(label)); // what the entry may say
    Runnable release =
        () -> {
          texts.forEach(text -> directory.remove(entry, text));
          chunks.give(taken);
        };
    Named made = new Named(taken, release);
    boolean placed = false;
    try {
      chunks.take(label, taken);
      List<Owner> owners = taken.stream().map(chunk -> ((Asking) chunk.lender()).owner()).toList();
      String placement = Placement.of(label, owners).encode();
      texts.add(placement);
      placed = directory.replace(entry, placement);
    } finally {
      if (!placed) {
        MemoryShortage.insist(release);
      }
    }
    if (!placed) {
      throw new IOException(
          "'" + name + "' was not reserved: the session with the directory ended meanwhile");
    }
    return made;
  }

  @Override
  public List<Grant> grants(String name) throws IOException, InterruptedException {
    String text = directory.read(nameEntry(name));
    if (text == null || !Placement.isMade(text)) {
      throw Lenders.unknown(name, 0, true, "no process has reserved it for others");
    }
    Placement placement = Placement.decode(text);
    List<Poll> polls = new ArrayList<>();
    for (int i = 0; i < placement.chunks(); i++) {
      polls.add(questions.ask(placement.owner(i), "find " + i + " " + placement.label()));
    }
    List<Grant> grants = new ArrayList<>();
    for (int i = 0; i < polls.size(); i++) {
      grants.add(grant(name, i, polls.get(i)));
    }
    return grants;
  }

  private static Grant grant(String name, int index, Poll poll)
      throws IOException, InterruptedException {
    for (Answer answer : poll.await(HostLenders.PATIENCE)) {
      String[] words = answer.text().split(" ", 3);
      if (words[0].equals("chunk")) {
        return Grant.decode(words[2]);
      }
      LOG.log(Level.DEBUG, () -> "Of chunk " + index + " its server knows nothing");
    }
    throw Lenders.unknown(
        name, index, poll.silent() == 0, "it is not for others, or its server has ended");
  }
}
