package org.slipstream.it.process;

import io.micrometer.core.instrument.Measurement;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.management.ManagementFactory;
import java.util.StringJoiner;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.slipstream.metrics.SlipstreamMetrics;

/**
 * What a child's Micrometer registry and its bean say; for children with Micrometer on the class
 * path.
 */
final class PeerMeters {
  private static final SimpleMeterRegistry REGISTRY = new SimpleMeterRegistry();

  static {
    new SlipstreamMetrics().bindTo(REGISTRY);
  }

  private PeerMeters() {}

  /** {@code NAME[,TAG=VALUE…] NUMBER}, separated by semicolons. */
  static String read() {
    StringJoiner all = new StringJoiner(";");
    for (Meter meter : REGISTRY.getMeters()) {
      StringBuilder name = new StringBuilder(meter.getId().getName());
      meter
          .getId()
          .getTags()
          .forEach(tag -> name.append(',').append(tag.getKey()).append('=').append(tag.getValue()));
      for (Measurement measurement : meter.measure()) {
        all.add(name + " " + (long) measurement.getValue());
      }
    }
    return all.toString();
  }

  /** What the bean of this process says, in the same form: {@code ATTRIBUTE NUMBER}. */
  static String readBean() throws JMException {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    ObjectName bean = new ObjectName("org.slipstream:type=Slipstream");
    StringJoiner all = new StringJoiner(";");
    for (MBeanAttributeInfo attribute : server.getMBeanInfo(bean).getAttributes()) {
      all.add(attribute.getName() + " " + server.getAttribute(bean, attribute.getName()));
    }
    return all.toString();
  }
}
