package org.slipstream.agent;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketImplFactory;
import java.security.ProtectionDomain;
import org.jspecify.annotations.Nullable;

/**
 * Lets a program set socket factories of its own although ours are installed: before the JDK
 * refuses, ours step aside. Puts one instruction sequence at the beginning of two methods of {@code
 * java.net}: "if the factory can be run, run it". Ours can ({@link
 * org.slipstream.provider.net.SlipstreamSocketFactory#run}).
 */
final class FactoryGuard implements ClassFileTransformer {
  private static final ClassDesc RUNNABLE = Runnable.class.describeConstable().orElseThrow();
  private static final ClassDesc FACTORY =
      SocketImplFactory.class.describeConstable().orElseThrow();
  private static final MethodTypeDesc RUN = MethodTypeDesc.of(ConstantDescs.CD_void);

  private FactoryGuard() {}

  static void install(Instrumentation instrumentation) throws UnmodifiableClassException {
    FactoryGuard guard = new FactoryGuard();
    instrumentation.addTransformer(guard, true);
    try {
      instrumentation.retransformClasses(Socket.class, ServerSocket.class);
    } finally {
      instrumentation.removeTransformer(guard);
    }
  }

  @Override
  public byte @Nullable [] transform(
      @Nullable ClassLoader loader,
      String name,
      @Nullable Class<?> redefined,
      @Nullable ProtectionDomain domain,
      byte[] bytes) {
    if (Socket.class.equals(redefined)) {
      return guarded(bytes, Socket.class, "setSocketImplFactory");
    }
    return ServerSocket.class.equals(redefined)
        ? guarded(bytes, ServerSocket.class, "setSocketFactory")
        : null;
  }

  private static byte[] guarded(byte[] bytes, Class<?> owner, String setter) {
    ClassDesc type = owner.describeConstable().orElseThrow();
    ClassFile file = ClassFile.of();
    return file.transformClass(
        file.parse(bytes),
        ClassTransform.transformingMethodBodies(
            method -> method.methodName().equalsString(setter), new StepAside(type)));
  }

  private record StepAside(ClassDesc owner) implements CodeTransform {
    @Override
    public void atStart(CodeBuilder code) {
      code.getstatic(owner, "factory", FACTORY)
          .instanceOf(RUNNABLE)
          .ifThen(then ->
              then.getstatic(owner, "factory", FACTORY)
                  .checkcast(RUNNABLE)
                  .invokeinterface(RUNNABLE, "run", RUN));
    }

    @Override
    public void accept(CodeBuilder code, CodeElement element) {
      code.with(element);
    }
  }
}
