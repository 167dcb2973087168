package org.slipstream.provider.nio;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.Properties;

/**
 * Makes the JDK export a package to us, as native code could: the last resort in a runtime image
 * without {@code sun.misc.Unsafe}.
 *
 * <p>The Java Native Interface may define a class in any package. Ours does, in its initialiser,
 * what only a class of {@code java.base} may: it exports the package. Nothing else of that
 * interface is used, and none of its references: between two calls from Java they may be reused.
 */
@SuppressWarnings("restricted") // what this needs native access for
final class NativeRoute {
  private static final int JNI_VERSION_10 = 0x000a0000;

  // Places in the tables of functions that JNI's two interfaces begin with.
  private static final int GET_ENV = 6;
  private static final int DEFINE_CLASS = 5;

  /** The property in which the class finds the module that the package is exported to. */
  private static final String KEY = "org.slipstream.module";

  private static final ClassDesc MODULE = Module.class.describeConstable().orElseThrow();
  private static final ClassDesc PROPERTIES = Properties.class.describeConstable().orElseThrow();

  private NativeRoute() {}

  /** Exports a package of {@code java.base} to the module of this class. */
  static void export(String jdkPackage) throws ReflectiveOperationException {
    String exporter = jdkPackage + ".SlipstreamExport";
    Properties properties = System.getProperties();
    try (Arena arena = Arena.ofConfined()) {
      define(exporter, bytecode(exporter, jdkPackage), arena);
      properties.put(KEY, NativeRoute.class.getModule());
      Class.forName(exporter, true, null);
    } catch (ReflectiveOperationException e) {
      throw e;
    } catch (Throwable e) {
      throw new ReflectiveOperationException(e);
    } finally {
      properties.remove(KEY);
    }
  }

  /** {@code static { Object.class.getModule().addExports(package, (Module) property); }}. */
  private static byte[] bytecode(String exporter, String jdkPackage) {
    return ClassFile.of()
        .build(
            ClassDesc.of(exporter),
            type ->
                type.withMethodBody(
                    ConstantDescs.CLASS_INIT_NAME,
                    ConstantDescs.MTD_void,
                    ClassFile.ACC_STATIC,
                    code ->
                        code.ldc(ConstantDescs.CD_Object)
                            .invokevirtual(
                                ConstantDescs.CD_Class, "getModule", MethodTypeDesc.of(MODULE))
                            .ldc(jdkPackage)
                            .invokestatic(
                                System.class.describeConstable().orElseThrow(),
                                "getProperties",
                                MethodTypeDesc.of(PROPERTIES))
                            .ldc(KEY)
                            .invokevirtual(
                                PROPERTIES,
                                "get",
                                MethodTypeDesc.of(ConstantDescs.CD_Object, ConstantDescs.CD_Object))
                            .checkcast(MODULE)
                            .invokevirtual(
                                MODULE,
                                "addExports",
                                MethodTypeDesc.of(MODULE, ConstantDescs.CD_String, MODULE))
                            .pop()
                            .return_()));
  }

  private static void define(String name, byte[] bytecode, Arena arena) throws Throwable {
    MemorySegment env = environment(arena);
    MemorySegment content = arena.allocate(bytecode.length);
    content.copyFrom(MemorySegment.ofArray(bytecode));
    MethodHandle define =
        function(env, DEFINE_CLASS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, JAVA_INT);
    MemorySegment defined =
        (MemorySegment)
            define.invokeExact(
                env,
                arena.allocateFrom(name.replace('.', '/')),
                MemorySegment.NULL, // the loader of java.base
                content,
                bytecode.length);
    check(defined.address() != 0, name + " can not be defined");
  }

  /** What JNI knows of the current thread. */
  private static MemorySegment environment(Arena arena) throws Throwable {
    SymbolLookup jvm =
        SymbolLookup.libraryLookup(
            Path.of(System.getProperty("java.home"), "lib", "server", "libjvm.so"), arena);
    MethodHandle machines =
        Linker.nativeLinker()
            .downcallHandle(
                jvm.findOrThrow("JNI_GetCreatedJavaVMs"),
                FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, ADDRESS));
    MemorySegment machine = arena.allocate(ADDRESS);
    int failed = (int) machines.invokeExact(machine, 1, arena.allocate(JAVA_INT));
    check(failed == 0, "no virtual machine");
    MemorySegment vm = machine.get(ADDRESS, 0);
    MemorySegment env = arena.allocate(ADDRESS);
    failed =
        (int)
            function(vm, GET_ENV, JAVA_INT, ADDRESS, ADDRESS, JAVA_INT)
                .invokeExact(vm, env, JNI_VERSION_10);
    check(failed == 0, "no environment");
    return env.get(ADDRESS, 0);
  }

  private static MethodHandle function(
      MemorySegment of, int place, ValueLayout result, MemoryLayout... arguments) {
    MemorySegment table =
        of.reinterpret(ADDRESS.byteSize())
            .get(ADDRESS, 0)
            .reinterpret((place + 1) * ADDRESS.byteSize());
    return Linker.nativeLinker()
        .downcallHandle(table.getAtIndex(ADDRESS, place), FunctionDescriptor.of(result, arguments));
  }

  private static void check(boolean well, String otherwise) throws ReflectiveOperationException {
    if (!well) {
      throw new ReflectiveOperationException(otherwise);
    }
  }
}
