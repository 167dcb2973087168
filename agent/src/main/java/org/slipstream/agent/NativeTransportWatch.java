package org.slipstream.agent;

import java.lang.instrument.Instrumentation;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slipstream.provider.nio.Installation;
import org.slipstream.transport.MessageCode;

/**
 * Says once that connections of Netty's native transports pass us by. Programs without one pay
 * nothing: no transformer sees their classes, as each class would cost time then. What Netty does
 * before it loads a native library (a selector that is closed unused) starts a thread that looks
 * for a while whether the program takes that transport.
 */
final class NativeTransportWatch implements Runnable {
  private static final long FIRST_PAUSE_MS = 100;
  private static final long LAST_PAUSE_MS = 15_000;

  private final Instrumentation instrumentation;
  private final AtomicBoolean looking = new AtomicBoolean();

  /** Those that were said; the thread that looks. */
  private final Set<NativeTransport> said = new HashSet<>();

  NativeTransportWatch(Instrumentation instrumentation) {
    this.instrumentation = instrumentation;
  }

  /** A selector was closed unused; by the thread that closed it, inside of Netty's initializer. */
  @Override
  public void run() {
    if (looking.compareAndSet(false, true)) {
      try {
        Thread.ofPlatform().daemon().name("slipstream-netty").start(this::lookForAWhile);
      } catch (OutOfMemoryError e) { // the system has no more threads
        looking.set(false);
      }
    }
  }

  private void lookForAWhile() {
    try {
      for (long pause = FIRST_PAUSE_MS; pause <= LAST_PAUSE_MS; pause *= 2) {
        Thread.sleep(pause);
        look();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      looking.set(false);
    }
  }

  private void look() {
    for (Class<?> type : instrumentation.getAllLoadedClasses()) {
      String name = type.getName();
      if (name.endsWith(NativeTransport.ENDING)) {
        NativeTransport transport = NativeTransport.ofClass(name);
        if (transport != null && said.add(transport)) {
          System.err.println(
              MessageCode.NATIVE_TRANSPORT.line(
                  "Connections of "
                      + transport.name()
                      + " pass by and stay on TCP; "
                      + transport.advice()));
          Installation.nativeTransport(transport.name(), transport.advice());
        }
      }
    }
  }
}
