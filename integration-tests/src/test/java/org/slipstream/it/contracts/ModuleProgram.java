package org.slipstream.it.contracts;

import java.lang.reflect.Field;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;

/** What of the JDK's inside a program can reach: libraries try, and behave by what they find. */
public final class ModuleProgram {
  private ModuleProgram() {}

  /** Takes no arguments. */
  public static void main(String[] args) throws Exception {
    try (ServerSocket listener = new ServerSocket(0);
        Socket socket = new Socket("localhost", listener.getLocalPort())) {
      Probe.see("connected", socket::isConnected);
    }
    Module base = Object.class.getModule();
    Module ours = ModuleProgram.class.getModule();
    for (String name : List.of("sun.nio.ch", "java.net", "java.nio", "java.lang", "sun.net")) {
      Probe.see(name, () -> base.isExported(name, ours) + " " + base.isOpen(name, ours));
    }
    for (String name : List.of("sun.nio.ch.SelectorImpl", "java.net.Socket")) {
      Probe.see(
          "fields of " + name,
          () -> {
            int opened = 0;
            for (Field field : Class.forName(name).getDeclaredFields()) {
              opened += field.trySetAccessible() ? 1 : 0;
            }
            return opened;
          });
    }
  }
}
