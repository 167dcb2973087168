package org.slipstream.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.Extension;
import org.slipstream.transport.Platform;

class PlatformConditionTest {

  @Test
  void elsewhereTestsAreSkippedWithTheSentenceOfThePlatform() {
    ConditionEvaluationResult result = PlatformCondition.on(new Platform("Mac OS X", "aarch64"));
    assertThat(result.isDisabled()).isTrue();
    assertThat(result.getReason()).contains("Slipstream needs Linux; this is Mac OS X");
  }

  @Test
  void hereTheyRun() {
    assertThat(PlatformCondition.on(Platform.here()).isDisabled()).isFalse();
    assertThat(PlatformCondition.on(new Platform("Linux", "aarch64")).isDisabled()).isFalse();
  }

  @Test
  void theEngineFindsIt() {
    assertThat(ServiceLoader.load(Extension.class))
        .hasAtLeastOneElementOfType(PlatformCondition.class);
  }
}
