package org.slipstream.testkit;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slipstream.transport.Platform;

/**
 * Skips the tests of a module on a platform where Slipstream stands aside, with its own sentence as
 * the reason. JUnit finds it by {@link java.util.ServiceLoader}; tests do not name it.
 */
public final class PlatformCondition implements ExecutionCondition {

  /** Made by JUnit. */
  public PlatformCondition() {}

  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    return on(Platform.here());
  }

  static ConditionEvaluationResult on(Platform platform) {
    String objection = platform.objection();
    return objection == null
        ? ConditionEvaluationResult.enabled(platform.toString())
        : ConditionEvaluationResult.disabled(objection);
  }
}
