package org.slipstream.it.programs;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.nio.charset.StandardCharsets;
import java.security.ProtectionDomain;
import org.jspecify.annotations.Nullable;

/** Makes Slipstream call a class of the JDK that another JDK may not have. */
public final class OtherJdkAgent implements ClassFileTransformer {
  private static final String HERE = "sun/nio/ch/SelChImpl";
  private static final String ELSEWHERE = "sun/nio/ch/SelChAway";

  public static void premain(@Nullable String arguments, Instrumentation instrumentation) {
    instrumentation.addTransformer(new OtherJdkAgent());
  }

  @Override
  public byte @Nullable [] transform(
      @Nullable ClassLoader loader,
      @Nullable String name,
      @Nullable Class<?> redefined,
      @Nullable ProtectionDomain domain,
      byte[] bytes) {
    return "org/slipstream/provider/jdk/JdkChannelInternals".equals(name)
        ? new String(bytes, StandardCharsets.ISO_8859_1)
            .replace(HERE, ELSEWHERE)
            .getBytes(StandardCharsets.ISO_8859_1)
        : null;
  }
}
