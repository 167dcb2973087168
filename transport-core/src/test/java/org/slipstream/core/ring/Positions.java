package org.slipstream.core.ring;

import java.lang.reflect.Field;
import org.slipstream.transport.ControlLayout;

/** Brings a fresh, open pair to a position that no test could reach by writing. */
final class Positions {
  private Positions() {}

  static void moveTo(RingEnd.Two two, long position) {
    moveOne(two.a(), position);
    moveOne(two.b(), position);
  }

  private static void moveOne(RingEnd end, long position) {
    long size = end.link().sendRing().byteSize();
    set(end.producer().credit(), "position", position);
    set(end.producer().credit(), "acknowledged", position);
    set(end.producer(), "piggybacked", position);
    set(end.producer().credit(), "committed", size);
    end.producer().credit().places().begin((int) size);
    set(end.producer().credit(), "limit", position + size);
    set(end.consumer(), "consumed", position);
    set(end.consumer(), "published", position);
    set(end.consumer().credit(), "credited", position);
    end.peerSays(ControlLayout.POSITION, position);
    end.peerSays(ControlLayout.CREDIT, position);
    end.peerSays(ControlLayout.PIGGYBACK, position);
  }

  private static void set(Object target, String field, long value) {
    try {
      Field f = target.getClass().getDeclaredField(field);
      f.setAccessible(true);
      f.setLong(target, value);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("no such field any more", e);
    }
  }
}
