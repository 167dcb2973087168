package org.slipstream.core.session;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.api.Reason;
import org.slipstream.core.config.SlipstreamConfig;
import org.slipstream.core.rules.RuleBook;
import org.slipstream.core.stream.Stream;
import org.slipstream.core.stream.StreamLink;
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.MessageCode;
import org.slipstream.transport.Reactor;

/**
 * Applies the rules to the streams of the process: asks them for new ones, looks whether the file
 * has changed while there are streams, and makes live ones fall back to TCP when they are no longer
 * allowed.
 */
final class Admission {
  private static final LazyLogger LOG = new LazyLogger("org.slipstream");

  /** So soon a changed file counts. A process without streams does not look. */
  private static final long LOOK_NS = 1_000_000_000;

  private final RuleBook rules;
  private final Set<Stream> streams;
  private final Reactor reactor;
  private final Nudger nudger;
  private final AtomicBoolean looking = new AtomicBoolean();

  /**
   * Reads the rules.
   *
   * @param streams all open ones, live
   */
  Admission(SlipstreamConfig config, Set<Stream> streams, Reactor reactor, Nudger nudger) {
    String file = config.rulesFile();
    this.rules =
        RuleBook.open(
            config.rules(),
            file == null ? null : Path.of(file),
            RuleBook.processName(),
            complaint -> LOG.log(Level.WARNING, MessageCode.RULES_REFUSED.text(complaint)));
    this.streams = streams;
    this.reactor = reactor;
    this.nudger = nudger;
  }

  /** A new stream: from now on the file is looked at. Any thread; cheap. */
  void streamOpened() {
    if (rules.watches() && !looking.get() && looking.compareAndSet(false, true)) {
      try {
        reactor.execute(this::look);
      } catch (OutOfMemoryError e) {
        looking.set(false); // the next stream does it
      }
    }
  }

  private void look() {
    if (rules.refresh()) {
      apply();
    }
    if (streams.isEmpty()) {
      looking.set(false);
      if (streams.isEmpty() || !looking.compareAndSet(false, true)) {
        return;
      }
    }
    reactor.schedule(LOOK_NS, this::look);
  }

  /** Whether a plain stream must stay plain; gives it the reason. Any thread. */
  boolean forbids(Stream stream) {
    Reason why = reasonAgainst(stream);
    if (why != null) {
      stream.stayPlain(why);
    }
    return why != null;
  }

  private @Nullable Reason reasonAgainst(Stream stream) {
    if (rules.isAllOn()) { // of most processes, and then no address needs to be asked for
      return null;
    }
    try {
      if (stream.tcp().getLocalAddress() instanceof InetSocketAddress local
          && stream.tcp().getRemoteAddress() instanceof InetSocketAddress remote
          && !rules.allow(stream.isClient(), local, remote)) {
        return rules.isAllOff() ? Reason.DISABLED : Reason.RULE;
      }
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "The stream was closed before its rules were read", e);
    }
    return null;
  }

  /** The rules have changed; reactor. */
  private void apply() {
    for (Stream stream : streams) {
      Reason why = reasonAgainst(stream);
      if (why == null) {
        continue;
      }
      StreamLink link = stream.link();
      if (link != null) {
        link.fallBack();
      }
      stream.stayPlain(why);
      if (link != null) {
        stream.linkChanged();
        nudger.nudge(stream);
      }
    }
  }

  /**
   * The operator's switch: {@code off}, {@code on}, each alone or with the processes that are
   * meant; reactor.
   *
   * @return the answer, or null if the question is another one
   */
  @Nullable String command(String question) {
    List<String> words = Arrays.asList(question.split(" ", -1));
    String verb = words.getFirst();
    if (!verb.equals("off") && !verb.equals("on")) {
      return null;
    }
    long pid = ProcessHandle.current().pid();
    boolean meant = words.size() == 1 || words.contains(Long.toString(pid));
    if (meant && rules.switchOff(verb.equals("off"))) {
      apply();
    }
    return "{\"pid\":" + pid + ",\"meant\":" + meant + "}";
  }
}
