package org.slipstream.jartool;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.BiFunction;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import org.slipstream.transport.OutOfLine;

/**
 * Lambdas, method references and records of each kind. {@link #call} is run as it was compiled, and
 * prelinked by another loader: the answers have to be the same.
 */
@SuppressWarnings({ // each is what is asked here
  "EqualsNull",
  "IdentityBinaryExpression",
  "ReferenceEquality",
  "SelfEquals",
  "UnnecessaryLambda"
})
public final class Samples implements Callable<List<Object>> {
  private final long base = 1L << 40;
  private final List<Object> answers = new ArrayList<>();

  /** By reflection. */
  public Samples() {}

  /** One component of each kind. */
  @SuppressWarnings("ArrayRecordComponent") // one of each kind
  record Each(
      boolean z, byte b, char c, short s, int i, long j, float f, double d, String text, int[] a) {}

  /** None. */
  record Empty() {}

  /** Visible at run time. */
  @Retention(RetentionPolicy.RUNTIME)
  @interface Seen {}

  /** The JVM is to know an annotation of its own besides. */
  @OutOfLine
  @Seen
  static int outOfLine() {
    return ((IntSupplier) () -> 42).getAsInt();
  }

  /** A private nested class, which has its host's nest. */
  private static final class Inner {
    private final String name;

    private Inner(String name) {
      this.name = name;
    }

    private String twice() {
      Supplier<String> own = () -> name + name;
      return own.get();
    }
  }

  /** Private and default methods of an interface. */
  private interface Shape {
    int sides();

    private int hidden() {
      return sides() * 10;
    }

    default IntSupplier more() {
      return this::hidden;
    }

    static Shape of(int sides) {
      return () -> sides;
    }
  }

  private long large(int add) {
    return base + add;
  }

  private static int count;

  private static int counted() {
    return ++count;
  }

  @Override
  public List<Object> call() throws Exception {
    answers.clear();
    count = 0;
    capturing((byte) 1, 'b', (short) 3, 4, 5L, 6f, 7d, true, "text");
    references();
    records();
    return List.copyOf(answers);
  }

  private void capturing(
      byte b, char c, short s, int i, long j, float f, double d, boolean z, String text) {
    Callable<String> all = () -> b + "," + c + s + i + j + f + d + z + text + base;
    add(all);
    Supplier<Supplier<String>> nested = () -> () -> text + j;
    answers.add(nested.get().get());
    Runnable nothing = () -> {};
    Runnable again = nothing;
    nothing.run();
    answers.add(nothing == again);
    answers.add(same() == same()); // what captures nothing is one object
    answers.add(outOfLine());
    LongSupplier wide = () -> i;
    answers.add(wide.getAsLong());
  }

  private static Runnable same() {
    return () -> count += 100;
  }

  private void add(Callable<?> callable) {
    try {
      answers.add(callable.call());
    } catch (Exception e) {
      answers.add(e.getMessage());
    }
  }

  private void references() {
    IntFunction<Long> boxed = this::large;
    answers.add(boxed.apply(7));
    ToLongFunction<Integer> unboxed = this::large;
    answers.add(unboxed.applyAsLong(8));
    LongSupplier widened = Samples::counted;
    answers.add(widened.getAsLong());
    DoubleSupplier further = Samples::counted;
    answers.add(further.getAsDouble());
    Runnable dropped = Samples::counted;
    dropped.run();
    Runnable droppedLong = () -> large(1);
    droppedLong.run();
    answers.add(count);
    Function<String, Integer> unbound = String::length;
    answers.add(unbound.apply("four"));
    ToIntFunction<String> plain = String::length;
    answers.add(plain.applyAsInt("seven77"));
    BiFunction<String, String, Boolean> two = String::endsWith;
    answers.add(two.apply("ending", "ing"));
    Function<String, Inner> constructor = Inner::new;
    answers.add(constructor.apply("ab").twice());
    Function<Inner, String> hidden = Inner::twice;
    answers.add(hidden.apply(new Inner("cd")));
    IntFunction<int[]> array = int[]::new;
    answers.add(array.apply(3).length);
    Supplier<String> bound = "bound"::toString;
    answers.add(bound.get());
    answers.add(Shape.of(4).more().getAsInt());
    Function<Shape, Integer> ofInterface = Shape::sides;
    answers.add(ofInterface.apply(Shape.of(6)));
    add(() -> Objects.requireNonNull(null, "thrown"));
  }

  private void records() {
    int[] array = {1};
    Each each = new Each(true, (byte) 1, 'c', (short) 2, 3, 4L, 5f, 6d, "t", array);
    answers.add(each.equals(new Each(true, (byte) 1, 'c', (short) 2, 3, 4L, 5f, 6d, "t", array)));
    answers.add(each.equals(each));
    answers.add(each.equals(null));
    answers.add(each.equals((Object) "t"));
    Each hashed = new Each(true, (byte) 1, 'c', (short) 2, 3, 4L, 5f, 6d, "t", array);
    answers.add(each.hashCode() == hashed.hashCode());
    for (Each other :
        List.of(
            new Each(false, (byte) 1, 'c', (short) 2, 3, 4L, 5f, 6d, "t", array),
            new Each(true, (byte) 2, 'c', (short) 2, 3, 4L, 5f, 6d, "t", array),
            new Each(true, (byte) 1, 'd', (short) 2, 3, 4L, 5f, 6d, "t", array),
            new Each(true, (byte) 1, 'c', (short) 3, 3, 4L, 5f, 6d, "t", array),
            new Each(true, (byte) 1, 'c', (short) 2, 4, 4L, 5f, 6d, "t", array),
            new Each(true, (byte) 1, 'c', (short) 2, 3, 4L << 32, 5f, 6d, "t", array),
            new Each(true, (byte) 1, 'c', (short) 2, 3, 4L, -0f, 6d, "t", array),
            new Each(true, (byte) 1, 'c', (short) 2, 3, 4L, 5f, Double.NaN, "t", array),
            new Each(true, (byte) 1, 'c', (short) 2, 3, 4L, 5f, 6d, "u", array),
            new Each(true, (byte) 1, 'c', (short) 2, 3, 4L, 5f, 6d, "t", new int[] {1}))) {
      answers.add(each.equals(other));
      answers.add(each.hashCode() == other.hashCode());
    }
    Each nan = new Each(true, (byte) 1, 'c', (short) 2, 3, 4L, Float.NaN, Double.NaN, null, null);
    answers.add(
        nan.equals(
            new Each(true, (byte) 1, 'c', (short) 2, 3, 4L, Float.NaN, Double.NaN, null, null)));
    answers.add(new Empty().equals(new Empty()));
    answers.add(new Empty().hashCode() == new Empty().hashCode());
    answers.add(new Empty().toString());
  }
}
