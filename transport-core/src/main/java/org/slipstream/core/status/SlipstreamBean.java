package org.slipstream.core.status;

import java.lang.System.Logger.Level;
import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import org.slipstream.core.stream.Stream;

/**
 * The bean of a process. It is registered once the program has an MBean server of its own accord:
 * making one only for us would cost every start tens of milliseconds.
 */
public final class SlipstreamBean implements SlipstreamMXBean {
  /** Its name. */
  public static final String NAME = "org.slipstream:type=Slipstream";

  private static final System.Logger LOG = System.getLogger("org.slipstream");
  private static final boolean AVAILABLE =
      ModuleLayer.boot().findModule("java.management").isPresent();

  private final StreamJournal journal;
  private final Collection<Stream> streams;
  private final AtomicBoolean registered = new AtomicBoolean();

  /**
   * Makes the bean, and does nothing with it.
   *
   * @param journal of the process
   * @param streams the open ones, live
   */
  public SlipstreamBean(StreamJournal journal, Collection<Stream> streams) {
    this.journal = journal;
    this.streams = streams;
  }

  /** Registers the bean if the process has an MBean server and it is not registered yet. */
  public void registerIfManaged() {
    if (AVAILABLE && !registered.get()) {
      Registration.tryOnce(this);
    }
  }

  /** Apart, so that nothing of JMX is loaded where it is missing. */
  private static final class Registration {
    private Registration() {}

    static void tryOnce(SlipstreamBean bean) {
      if (MBeanServerFactory.findMBeanServer(null).isEmpty() || bean.registered.getAndSet(true)) {
        return;
      }
      try {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        server.registerMBean(bean, new ObjectName(NAME));
      } catch (JMException | RuntimeException e) {
        LOG.log(Level.DEBUG, "No JMX bean", e);
      }
    }
  }

  @Override
  public long getStreamsOpened() {
    return journal.counters().streamsOpened();
  }

  @Override
  public long getStreamsOpen() {
    return journal.counters().streamsOpen();
  }

  @Override
  public long getStreamsOnLink() {
    return journal.counters().streamsOnLink();
  }

  @Override
  public long getStreamsJoined() {
    return journal.counters().streamsJoined();
  }

  @Override
  public long getRingBytesOut() {
    return journal.counters().ringBytesOut();
  }

  @Override
  public long getRingBytesIn() {
    return journal.counters().ringBytesIn();
  }

  @Override
  public long getPlainBytesOut() {
    return journal.counters().plainBytesOut();
  }

  @Override
  public long getPlainBytesIn() {
    return journal.counters().plainBytesIn();
  }

  @Override
  public long getMessagesOut() {
    return journal.counters().messagesOut();
  }

  @Override
  public long getMessagesIn() {
    return journal.counters().messagesIn();
  }

  @Override
  public long getSpins() {
    return journal.counters().spins();
  }

  @Override
  public long getWakeUps() {
    return journal.counters().wakeUps();
  }

  @Override
  public long getFailovers() {
    return journal.counters().failovers();
  }

  @Override
  public long getOffersRefused() {
    return journal.counters().offersRefused();
  }

  @Override
  public long getSlowWaits() {
    return journal.counters().slowWaits();
  }

  @Override
  public String streamsAsJson() {
    return StatusJson.process(streams);
  }
}
