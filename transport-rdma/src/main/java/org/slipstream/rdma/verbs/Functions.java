package org.slipstream.rdma.verbs;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The functions of a library, or why they can not be used: there is no library, or it is too old to
 * have all of them.
 *
 * @param <T> names them
 */
public final class Functions<T> {
  private final @Nullable T loaded;
  private final String failure;

  private Functions(@Nullable T loaded, String failure) {
    this.loaded = loaded;
    this.failure = failure;
  }

  /**
   * Looks for them.
   *
   * @param maker asks for each by {@link Call#of}
   * @param <T> names them
   * @return the functions, or a value that says what is missing
   */
  public static <T> Functions<T> of(Supplier<T> maker) {
    try {
      return new Functions<>(maker.get(), "");
    } catch (IllegalStateException e) {
      return new Functions<>(null, String.valueOf(e.getMessage()));
    }
  }

  /**
   * Why they can not be used.
   *
   * @return one sentence; empty if they can
   */
  public String failure() {
    return failure;
  }

  /**
   * The functions.
   *
   * @return all of them
   * @throws IllegalStateException if there is a {@link #failure}
   */
  public T get() {
    T all = loaded;
    if (all == null) {
      throw new IllegalStateException(failure);
    }
    return all;
  }
}
