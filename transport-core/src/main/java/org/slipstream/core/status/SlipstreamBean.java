package org.slipstream.core.status;

import java.lang.System.Logger.Level;
import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.DynamicMBean;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanParameterInfo;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import javax.management.ReflectionException;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.stream.Stream;
import org.slipstream.core.stream.Total;
import org.slipstream.transport.LazyLogger;

/**
 * The bean of a process. It is registered once the program has an MBean server of its own accord:
 * making one only for us would cost every start tens of milliseconds.
 */
public final class SlipstreamBean {
  /** Its name. */
  public static final String NAME = "org.slipstream:type=Slipstream";

  private static final LazyLogger LOG = new LazyLogger("org.slipstream");
  private static final boolean AVAILABLE =
      ModuleLayer.boot().findModule("java.management").isPresent();

  private final StreamJournal journal;
  private final Collection<Stream> streams;
  private final Supplier<String> sessions;
  private final AtomicBoolean registered = new AtomicBoolean();

  /**
   * Makes the bean, and does nothing with it.
   *
   * @param journal of the process
   * @param streams the open ones, live
   * @param sessions what tools are told of sessions; any thread
   */
  public SlipstreamBean(
      StreamJournal journal, Collection<Stream> streams, Supplier<String> sessions) {
    this.journal = journal;
    this.streams = streams;
    this.sessions = sessions;
  }

  /** Registers the bean if the process has an MBean server and it is not registered yet. */
  public void registerIfManaged() {
    // Asked for each stream that leaves TCP, so without what the bean itself would load.
    if (AVAILABLE && !registered.get() && !MBeanServerFactory.findMBeanServer(null).isEmpty()) {
      Registration.once(this);
    }
  }

  /** Apart, so that nothing of JMX is loaded where it is missing. */
  private static final class Registration implements DynamicMBean {
    private static final MBeanAttributeInfo[] ATTRIBUTES =
        Total.ALL.stream()
            .map(total ->
                new MBeanAttributeInfo(
                    attribute(total), "long", total.counter().help(), true, false, false))
            .toArray(MBeanAttributeInfo[]::new);
    private static final MBeanOperationInfo STREAMS =
        new MBeanOperationInfo(
            "streamsAsJson",
            "Every open stream, as slipstream ps --json prints it",
            new MBeanParameterInfo[0],
            "java.lang.String",
            MBeanOperationInfo.INFO);
    private static final MBeanOperationInfo SESSIONS =
        new MBeanOperationInfo(
            "sessionsAsJson",
            "Every session with another process, as slipstream ps --sessions --json prints it",
            new MBeanParameterInfo[0],
            "java.lang.String",
            MBeanOperationInfo.INFO);

    private final SlipstreamBean bean;

    private Registration(SlipstreamBean bean) {
      this.bean = bean;
    }

    static void once(SlipstreamBean bean) {
      if (bean.registered.getAndSet(true)) {
        return;
      }
      try {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        server.registerMBean(new Registration(bean), new ObjectName(NAME));
      } catch (JMException | RuntimeException e) {
        LOG.log(Level.DEBUG, "No JMX bean", e);
      }
    }

    private static String attribute(Total total) {
      return total.name().substring(0, 1).toUpperCase(Locale.ROOT) + total.name().substring(1);
    }

    @Override
    public MBeanInfo getMBeanInfo() {
      return new MBeanInfo(
          SlipstreamBean.class.getName(),
          "What all streams of this process have done, closed ones included",
          ATTRIBUTES,
          null,
          new MBeanOperationInfo[] {STREAMS, SESSIONS},
          null);
    }

    private Optional<Long> value(String name) {
      return Total.ALL.stream()
          .filter(total -> attribute(total).equals(name))
          .findAny()
          .map(bean.journal.counters()::get);
    }

    @Override
    public Object getAttribute(String name) throws AttributeNotFoundException {
      return value(name).orElseThrow(() -> new AttributeNotFoundException(name));
    }

    /** What is no attribute is missing in the answer: the contract of JMX. */
    @Override
    public AttributeList getAttributes(String[] names) {
      AttributeList values = new AttributeList();
      for (String name : names) {
        value(name).ifPresent(value -> values.add(new Attribute(name, value)));
      }
      return values;
    }

    @Override
    public void setAttribute(Attribute attribute) throws AttributeNotFoundException {
      throw new AttributeNotFoundException(attribute.getName() + " can only be read");
    }

    @Override
    public AttributeList setAttributes(AttributeList attributes) {
      return new AttributeList();
    }

    @Override
    public Object invoke(String name, Object @Nullable [] arguments, String @Nullable [] signature)
        throws ReflectionException {
      if (name.equals(SESSIONS.getName())) {
        return bean.sessions.get();
      }
      if (!name.equals(STREAMS.getName())) {
        throw new ReflectionException(new NoSuchMethodException(name));
      }
      return StatusJson.process(bean.streams);
    }
  }
}
