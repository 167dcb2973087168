package org.slipstream.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slipstream.provider.nio.FileSeam;
import org.slipstream.provider.nio.Installation;

/** The JDK's classes are changed as they should be, or not at all. */
class FileSeamsTest {

  /** What happens to the classes that are to be transformed. */
  @FunctionalInterface
  private interface Jvm {
    void retransform(ClassFileTransformer transformer, Class<?>[] classes) throws Exception;
  }

  private static Instrumentation instrumentation(Jvm jvm, List<ClassFileTransformer> registered) {
    return (Instrumentation)
        Proxy.newProxyInstance(
            FileSeamsTest.class.getClassLoader(),
            new Class<?>[] {Instrumentation.class},
            (proxy, method, arguments) -> {
              switch (method.getName()) {
                case "addTransformer" -> registered.add((ClassFileTransformer) arguments[0]);
                case "removeTransformer" -> {
                  return registered.remove(arguments[0]);
                }
                case "retransformClasses" ->
                    jvm.retransform(registered.getFirst(), (Class<?>[]) arguments[0]);
                default -> throw new UnsupportedOperationException(method.getName());
              }
              return null;
            });
  }

  private static byte[] bytes(Class<?> type) throws IOException {
    try (InputStream in = type.getResourceAsStream(type.getSimpleName() + ".class")) {
      return in.readAllBytes();
    }
  }

  @Test
  void whatComesOutIsVerified() throws Exception {
    List<Class<?>> seen = new ArrayList<>();
    Jvm jvm =
        (transformer, classes) -> {
          for (Class<?> type : classes) {
            byte[] before = bytes(type);
            byte[] after = transformer.transform(null, "", type, null, before);
            assertThat(after).isNotNull().isNotEqualTo(before);
            assertThat(ClassFile.of().verify(after)).isEmpty();
            seen.add(type);
          }
          assertThat(transformer.transform(null, "", String.class, null, bytes(String.class)))
              .as("no other class")
              .isNull();
        };
    List<ClassFileTransformer> registered = new ArrayList<>();

    assertThat(FileSeams.install(instrumentation(jvm, registered))).isTrue();

    assertThat(registered).isEmpty();
    assertThat(seen)
        .containsExactlyInAnyOrderElementsOf(
            Installation.fileSeams().stream().<Class<?>>map(FileSeam::owner).distinct().toList());
  }

  static List<Throwable> objections() {
    return List.of(
        new UnmodifiableClassException("another agent"),
        new UnsupportedOperationException("another JVM"),
        new VerifyError("another class"),
        new InternalError("anything"));
  }

  @ParameterizedTest
  @MethodSource("objections")
  void whatTheJvmRefusesLeavesTheProgramAsItWas(Throwable objection) {
    List<ClassFileTransformer> registered = new ArrayList<>();
    Jvm jvm =
        (transformer, classes) -> {
          if (objection instanceof Error e) {
            throw e;
          }
          throw (Exception) objection;
        };

    assertThat(FileSeams.install(instrumentation(jvm, registered))).isFalse();

    assertThat(registered).isEmpty();
  }

  /** Another agent was there first, and gave the methods other names. */
  @Test
  void aClassWithoutTheMethodsStaysAsItIs() throws Exception {
    Jvm jvm =
        (transformer, classes) -> {
          for (Class<?> type : classes) {
            transformer.transform(null, "", type, null, bytes(FileSeamsTest.class));
          }
        };

    assertThat(FileSeams.install(instrumentation(jvm, new ArrayList<>()))).isFalse();
  }
}
