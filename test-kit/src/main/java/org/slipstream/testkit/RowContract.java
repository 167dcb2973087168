package org.slipstream.testkit;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** A contract whose tests run over the carrier of the {@link Row} that they are nested in. */
@ExtendWith(RowContract.OfTheTest.class)
public abstract class RowContract {

  /** The row around a test. */
  static final class OfTheTest implements ParameterResolver {

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
      return parameter.getParameter().getType() == Row.class;
    }

    @Override
    public Row resolveParameter(ParameterContext parameter, ExtensionContext test) {
      return test.getRequiredTestInstances()
          .findInstance(Row.class)
          .orElseThrow(() ->
              new IllegalStateException(
                  test.getRequiredTestClass() + " is not nested in a class that extends Row"));
    }
  }

  /** Written before each test. */
  private @Nullable Carrier carrier;

  /** Nothing is opened yet. */
  protected RowContract() {}

  @BeforeEach
  final void enter(Row row) {
    carrier = row.carrier();
  }

  /** What carries the bytes in this row. */
  protected final Carrier carrier() {
    if (carrier == null) {
      throw new IllegalStateException("There is a carrier only during a test");
    }
    return carrier;
  }
}
