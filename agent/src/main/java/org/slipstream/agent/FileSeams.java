package org.slipstream.agent;

import java.lang.System.Logger.Level;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.security.ProtectionDomain;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slipstream.provider.nio.FileSeam;
import org.slipstream.provider.nio.Installation;

/**
 * Lets the JDK's file channels ask our channels to move a file, as they ask the JDK's own: "if the
 * other end is of ours and has a method for it, call that". Otherwise {@code transferTo} copies 8
 * KiB at a time, because the other end is not of the class that the JDK knows how to hand to {@code
 * sendfile}.
 *
 * <p>One instruction sequence at the beginning of three methods; what stood there stays as it was.
 * The JDK's class is changed when our core starts, which loads it anyway, and not before.
 *
 * <p>Fails safe: with another JDK, or beside an agent that objects, nothing is changed, files go
 * through 8 KiB buffers, and one debug line says so.
 */
final class FileSeams implements ClassFileTransformer {
  /** Foreign suppliers are not asked. */
  private static final String OURS = "org.slipstream.";

  private static final String SUPPLIER = "java/util/function/Supplier";
  private static final String HANDLE = "java/lang/invoke/MethodHandle";
  private static final String MOVE = "(Ljava/lang/Object;Ljava/nio/channels/FileChannel;JJZ)J";

  /** The handle, its five arguments, two of them of 64 bits. */
  private static final int STACK = 8;

  private final List<FileSeam> seams;

  /** How many methods were changed; only the thread that asked for it. */
  private int changed;

  private FileSeams(List<FileSeam> seams) {
    this.seams = seams;
  }

  /**
   * On a thread of its own: the program's first socket need not wait for some milliseconds, and
   * what is sent until then goes through buffers.
   */
  static void installSoon(Instrumentation instrumentation) {
    try {
      Thread.ofPlatform()
          .daemon()
          .name("slipstream-files")
          .start(() -> install(instrumentation)); // what fails has been said
    } catch (OutOfMemoryError e) { // the system has no more threads, and files work all the same
      say(String.valueOf(e.getMessage()), e);
    }
  }

  /**
   * Once in a process, when there is a core.
   *
   * @return whether files know our channels now
   */
  static boolean install(Instrumentation instrumentation) {
    try {
      List<FileSeam> seams = Installation.fileSeams();
      Set<Class<?>> owners = new HashSet<>();
      for (FileSeam seam : seams) {
        owners.add(seam.owner());
      }
      FileSeams transformer = new FileSeams(seams);
      instrumentation.addTransformer(transformer, true);
      try {
        instrumentation.retransformClasses(owners.toArray(new Class<?>[0]));
      } finally {
        instrumentation.removeTransformer(transformer);
      }
      if (transformer.changed == seams.size()) {
        return true;
      }
      say(transformer.changed + " of " + seams.size() + " methods could be changed", null);
    } catch (ReflectiveOperationException
        | UnmodifiableClassException
        | RuntimeException
        | LinkageError
        | InternalError e) {
      say(String.valueOf(e), e);
    }
    return false;
  }

  private static void say(String why, @Nullable Throwable cause) {
    System.getLogger("org.slipstream")
        .log(Level.DEBUG, "FileChannel.transferTo copies through buffers: " + why, cause);
  }

  @Override
  public byte @Nullable [] transform(
      @Nullable ClassLoader loader,
      String name,
      @Nullable Class<?> redefined,
      @Nullable ProtectionDomain domain,
      byte[] bytes) {
    if (redefined == null || !isOwner(redefined)) {
      return null;
    }
    byte @Nullable [] now = null;
    for (FileSeam seam : seams) {
      if (seam.owner().equals(redefined)) {
        byte[] asking =
            asking(new Prologue(now == null ? bytes : now), seam)
                .before(seam.method(), seam.type().descriptorString(), STACK);
        if (asking != null) {
          now = asking;
          changed++;
        }
      }
    }
    return now;
  }

  /** Asked of every class that is loaded meanwhile, this one's own needs included: so a loop. */
  private boolean isOwner(Class<?> type) {
    for (FileSeam seam : seams) {
      if (seam.owner() == type) {
        return true;
      }
    }
    return false;
  }

  /** The sequence, before the JDK's own. */
  private static Prologue asking(Prologue code, FileSeam seam) {
    boolean toFile = seam.kind() == FileSeam.Kind.TRANSFER_FROM;
    int other = seam.kind() == FileSeam.Kind.TRANSFER_TO ? 4 : 1;
    code.local(Op.ALOAD, other)
        .type(Op.INSTANCEOF, SUPPLIER)
        .jumpToMethod(Op.IFEQ)
        .local(Op.ALOAD, other)
        .call("java/lang/Object", "getClass", "()Ljava/lang/Class;")
        .call("java/lang/Class", "getName", "()Ljava/lang/String;")
        .text(OURS)
        .call("java/lang/String", "startsWith", "(Ljava/lang/String;)Z")
        .jumpToMethod(Op.IFEQ)
        .local(Op.ALOAD, other)
        .type(Op.CHECKCAST, SUPPLIER)
        .callInterface(SUPPLIER, "get", "()Ljava/lang/Object;");
    if (seam.kind() == FileSeam.Kind.STREAM_TO_STREAM) {
      return code.type(Op.CHECKCAST, "java/io/OutputStream").local(Op.ASTORE, other);
    }
    code.type(Op.CHECKCAST, HANDLE).local(Op.ALOAD, other).local(Op.ALOAD, 0);
    if (toFile) { // transferFromArbitraryChannel(other, long position, long count)
      code.local(Op.LLOAD, 2).local(Op.LLOAD, 4).op(Op.ICONST_0);
    } else { // transferToDirect(long position, int count, other)
      code.local(Op.LLOAD, 1).local(Op.ILOAD, 3).op(Op.I2L).op(Op.ICONST_1);
    }
    return code.call(HANDLE, "invokeExact", MOVE)
        .ownLocal(Op.LSTORE)
        .ownLocal(Op.LLOAD)
        .op(Op.LCONST_0)
        .op(Op.LCMP)
        .jumpToMethod(Op.IFLT)
        .ownLocal(Op.LLOAD)
        .op(Op.LRETURN);
  }
}
