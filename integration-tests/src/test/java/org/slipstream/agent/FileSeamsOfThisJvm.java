package org.slipstream.agent;

import com.sun.tools.attach.VirtualMachine;
import java.io.OutputStream;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Does to the tests' own JVM what our agent does to a program's: files know our channels. The rows
 * of the conformance tests make installations of their own, so no agent of ours runs here; and the
 * stock row shows that channels that are not ours do not notice.
 *
 * <p>Only where the JVM may load an agent into itself, which the build says.
 */
public final class FileSeamsOfThisJvm implements LauncherSessionListener {

  @Override
  public void launcherSessionOpened(LauncherSession session) {
    if (Boolean.getBoolean("jdk.attach.allowAttachSelf")) {
      try {
        attach();
      } catch (Exception e) {
        throw new IllegalStateException("The tests' own agent can not be loaded", e);
      }
    }
  }

  private static void attach() throws Exception {
    Manifest manifest = new Manifest();
    Attributes main = manifest.getMainAttributes();
    main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    main.putValue("Agent-Class", FileSeamsOfThisJvm.class.getName());
    main.putValue("Can-Retransform-Classes", "true");
    Path jar = Files.createTempFile("file-seams", ".jar");
    try {
      try (OutputStream out = Files.newOutputStream(jar)) {
        new JarOutputStream(out, manifest).close();
      }
      VirtualMachine self = VirtualMachine.attach(Long.toString(ProcessHandle.current().pid()));
      try {
        self.loadAgent(jar.toString());
      } finally {
        self.detach();
      }
    } finally {
      Files.delete(jar);
    }
  }

  /** Called by the JVM. */
  public static void agentmain(String arguments, Instrumentation instrumentation) {
    if (!FileSeams.install(instrumentation)) {
      throw new IllegalStateException("This JDK's files can not be told of our channels");
    }
  }
}
