package org.slipstream.it.conformance;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.opentest4j.TestAbortedException;

/**
 * A row over {@link LoopbackNodes} is skipped as a whole where their library could not be built: an
 * assumption in the initialiser of its class would be an error of each of its tests.
 */
final class NeedsLoopback implements ExecutionCondition {
  @Override
  public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
    try {
      LoopbackNodes.require();
      return ConditionEvaluationResult.enabled("the library is there");
    } catch (TestAbortedException e) {
      return ConditionEvaluationResult.disabled(String.valueOf(e.getMessage()));
    }
  }
}
