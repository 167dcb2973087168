package org.slipstream.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.MethodModel;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Instructions in front of a method leave a class that the verifier accepts and that still works.
 */
class PrologueTest {
  /** Of the instructions in front of accepting, filled up to a multiple of four. */
  private static final int ACCEPTING_BYTES = 40;

  private static byte[] bytes(Class<?> type) throws IOException {
    String name = type.getName();
    try (InputStream in =
        type.getResourceAsStream(name.substring(name.lastIndexOf('.') + 1) + ".class")) {
      return in.readAllBytes();
    }
  }

  /** Jumps to every method of so many classes of the JDK: each kind of frame and table is there. */
  @Test
  void theVerifierAcceptsWhatComesOutOfTheClassesOfTheJdk() throws Exception {
    Path root = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules/java.base");
    int methods = 0;
    for (String part : List.of("java/net", "java/util/concurrent", "sun/nio/ch")) {
      List<Path> files;
      try (Stream<Path> list = Files.list(root.resolve(part))) {
        files = list.filter(p -> p.toString().endsWith(".class")).toList();
      }
      for (Path file : files) {
        byte[] bytes = Files.readAllBytes(file);
        for (String method : methodsOf(bytes)) {
          bytes =
              new Prologue(bytes)
                  .op(Op.ICONST_0)
                  .jumpToMethod(Op.IFEQ)
                  .op(Op.NOP)
                  .before(method, null, 1);
          assertThat(bytes).isNotNull();
          methods++;
        }
        assertThat(ClassFile.of().verify(bytes)).as(file.toString()).isEmpty();
      }
    }
    assertThat(methods).isGreaterThan(2_000);
  }

  /** Not constructors: before the super class's no jump is allowed in the JDK's older classes. */
  private static Set<String> methodsOf(byte[] bytes) {
    Set<String> names = new HashSet<>();
    for (MethodModel method : ClassFile.of().parse(bytes).methods()) {
      if (method.code().isPresent() && !method.methodName().equalsString("<init>")) {
        names.add(method.methodName().stringValue());
      }
    }
    return names;
  }

  @Test
  void aMethodThatIsNotThereChangesNothing() throws Exception {
    assertThat(new Prologue(bytes(Socket.class)).op(Op.NOP).before("noSuchMethod", null, 0))
        .isNull();
  }

  @Test
  void theSettersOfTheJdkAreGuarded() throws Exception {
    assertThat(
            ClassFile.of()
                .verify(
                    FactoryGuard.guarded(
                        bytes(Socket.class), "java/net/Socket", "setSocketImplFactory")))
        .isEmpty();
    assertThat(
            ClassFile.of()
                .verify(
                    FactoryGuard.guarded(
                        bytes(ServerSocket.class), "java/net/ServerSocket", "setSocketFactory")))
        .isEmpty();
  }

  @Test
  void acceptingIsChangedInOneMethodOnly() throws Exception {
    byte[] before = bytes(ServerSocket.class);
    byte[] changed = FactoryGuard.accepting(before);
    assertThat(changed).isNotNull();
    assertThat(ClassFile.of().verify(changed)).isEmpty();
    assertThat(lengths(changed))
        .isEqualTo(withMore(lengths(before), "implAccept(Ljava/net/Socket;)V"));
  }

  private static Map<String, Integer> lengths(byte[] bytes) {
    Map<String, Integer> lengths = new TreeMap<>();
    for (MethodModel method : ClassFile.of().parse(bytes).methods()) {
      method
          .findAttribute(Attributes.code())
          .ifPresent(code ->
              lengths.put(
                  method.methodName().stringValue() + method.methodType().stringValue(),
                  code.codeLength()));
    }
    return lengths;
  }

  private static Map<String, Integer> withMore(Map<String, Integer> lengths, String method) {
    lengths.computeIfPresent(method, (name, length) -> length + ACCEPTING_BYTES);
    return lengths;
  }

  /** What is changed by the test below. */
  public static final class Sample {
    /** What the instructions run; set by the test. */
    public static Object first;

    private Sample() {}

    /** Has branches, a switch with padding, a handler and locals of all sizes. */
    public static String text(int number, long wide, List<String> seen) {
      seen.add("method");
      String result = "";
      for (int i = 0; i < number; i++) {
        long sum = wide + i;
        try {
          result +=
              switch (i) {
                case 0 -> "a";
                case 1 -> "b" + sum;
                case 2 -> String.valueOf((Object) List.of(i).get(1));
                default -> "d";
              };
        } catch (IndexOutOfBoundsException e) {
          result += "c";
        }
      }
      return result;
    }
  }

  /** Defines the changed class. */
  private static final class Loader extends ClassLoader {
    Class<?> define(byte[] bytes) {
      return defineClass(Sample.class.getName(), bytes, 0, bytes.length);
    }
  }

  @Test
  void theInstructionsRunFirstAndTheMethodDoesWhatItDid() throws Exception {
    byte[] changed =
        new Prologue(bytes(Sample.class))
            .field(Op.GETSTATIC, internalName(), "first", "Ljava/lang/Object;")
            .type(Op.INSTANCEOF, "java/lang/Runnable")
            .jumpToMethod(Op.IFEQ)
            .field(Op.GETSTATIC, internalName(), "first", "Ljava/lang/Object;")
            .type(Op.CHECKCAST, "java/lang/Runnable")
            .callInterface("java/lang/Runnable", "run", "()V")
            .before("text", null, 1);
    Class<?> type = new Loader().define(changed);
    List<String> seen = new ArrayList<>();

    Object plain =
        type.getMethod("text", int.class, long.class, List.class).invoke(null, 4, 1L << 40, seen);
    assertThat(plain).isEqualTo(Sample.text(4, 1L << 40, new ArrayList<>()));
    assertThat(seen).containsExactly("method");

    type.getField("first").set(null, (Runnable) () -> seen.add("first"));
    seen.clear();
    Object again =
        type.getMethod("text", int.class, long.class, List.class).invoke(null, 4, 1L << 40, seen);
    assertThat(again).isEqualTo(plain);
    assertThat(seen).containsExactly("first", "method");
  }

  private static String internalName() {
    return Sample.class.getName().replace('.', '/');
  }
}
