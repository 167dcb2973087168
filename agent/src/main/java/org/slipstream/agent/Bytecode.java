package org.slipstream.agent;

import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a class of ours: taken while it is loaded, because to read it as a resource begins
 * with the JDK's URL handlers, which cost the first socket of a program some milliseconds.
 */
final class Bytecode implements ClassFileTransformer {
  private final String name;

  /** Written and read by the thread that loads the class. */
  private byte @Nullable [] seen;

  private Bytecode(String name) {
    this.name = name;
  }

  /**
   * Loads the class, if it is not loaded yet.
   *
   * @param name of a class of this class's loader
   * @throws IOException if it can not be read
   */
  static byte[] of(String name, Instrumentation instrumentation) throws IOException {
    Bytecode bytecode = new Bytecode(name.replace('.', '/'));
    instrumentation.addTransformer(bytecode);
    try {
      Class.forName(name, false, Bytecode.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new IOException(e);
    } finally {
      instrumentation.removeTransformer(bytecode);
    }
    byte[] seen = bytecode.seen;
    return seen != null ? seen : read(name);
  }

  /** It was loaded before, or another agent has objected. */
  private static byte[] read(String name) throws IOException {
    String file = "/" + name.replace('.', '/') + ".class";
    try (InputStream in = Bytecode.class.getResourceAsStream(file)) {
      return Objects.requireNonNull(in).readAllBytes();
    }
  }

  @Override
  public byte @Nullable [] transform(
      @Nullable ClassLoader loader,
      @Nullable String loaded,
      @Nullable Class<?> redefined,
      @Nullable ProtectionDomain domain,
      byte[] bytes) {
    if (Objects.equals(loader, Bytecode.class.getClassLoader()) && name.equals(loaded)) {
      seen = bytes;
      // Not null, so that the agent counts as the author: an AOT cache takes no such class, and one
      // that came out of a cache would not come here.
      return bytes.clone();
    }
    return null;
  }
}
