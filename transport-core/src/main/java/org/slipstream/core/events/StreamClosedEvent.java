package org.slipstream.core.events;

import java.util.ArrayList;
import java.util.List;
import jdk.jfr.AnnotationElement;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.EventFactory;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.ValueDescriptor;
import org.slipstream.core.api.Counter;
import org.slipstream.core.api.StreamStatus;
import org.slipstream.core.stream.Total;
import org.slipstream.core.stream.Total.Way;

/** The event of a closed stream. It has a field for each counter, so it is no class of its own. */
final class StreamClosedEvent {
  private static final EventFactory FACTORY =
      EventFactory.create(
          List.of(
              new AnnotationElement(Name.class, "org.slipstream.StreamClosed"),
              new AnnotationElement(Label.class, "Stream Closed"),
              new AnnotationElement(Description.class, "A stream was closed; what it has moved"),
              new AnnotationElement(Category.class, new String[] {"Slipstream"}),
              new AnnotationElement(StackTrace.class, false)),
          fields());

  private StreamClosedEvent() {}

  private static List<ValueDescriptor> fields() {
    List<ValueDescriptor> fields = new ArrayList<>();
    fields.add(word("local", "Local Address", "address of this end"));
    fields.add(word("remote", "Remote Address", "address of the peer"));
    fields.add(word("role", "Role", "client: this end connected; server: it accepted"));
    fields.add(word("carrier", "Carrier", "tcp, or the transport of the link"));
    fields.add(word("reason", "Reason", "why the stream is plain, or NONE"));
    for (Total total : Total.MOVED) {
      fields.add(number(total));
    }
    return fields;
  }

  private static ValueDescriptor word(String name, String label, String description) {
    return new ValueDescriptor(
        String.class,
        name,
        List.of(
            new AnnotationElement(Label.class, label),
            new AnnotationElement(Description.class, description)));
  }

  private static ValueDescriptor number(Total total) {
    Counter counter = total.counter();
    String way = total.way() == Way.BOTH ? "" : " " + total.way().suffix();
    List<AnnotationElement> annotations = new ArrayList<>();
    annotations.add(new AnnotationElement(Label.class, counter.label() + way));
    annotations.add(new AnnotationElement(Description.class, counter.help()));
    if (counter.unit() == Counter.Unit.BYTES) {
      annotations.add(new AnnotationElement(DataAmount.class, DataAmount.BYTES));
    }
    return new ValueDescriptor(long.class, total.name(), annotations);
  }

  static boolean isEnabled() {
    return FACTORY.getEventType().isEnabled();
  }

  /** Says it to the recorder. */
  static void commit(
      StreamStatus status, String local, String remote, String role, String carrier) {
    Event event = FACTORY.newEvent();
    int field = 0;
    for (String word : List.of(local, remote, role, carrier, status.reason().name())) {
      event.set(field++, word);
    }
    for (Total total : Total.MOVED) {
      event.set(field++, total.of(status));
    }
    event.commit();
  }
}
