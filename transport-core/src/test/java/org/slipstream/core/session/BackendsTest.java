package org.slipstream.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Closeable;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slipstream.transport.Availability;
import org.slipstream.transport.Endpoint;
import org.slipstream.transport.Session;
import org.slipstream.transport.Transport;
import org.slipstream.transport.TransportHost;

class BackendsTest {
  private static final InetSocketAddress HERE =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);

  /** It is never asked. */
  private static final TransportHost HOST =
      (TransportHost)
          Proxy.newProxyInstance(
              BackendsTest.class.getClassLoader(),
              new Class<?>[] {TransportHost.class},
              (proxy, method, arguments) -> {
                throw new AssertionError(method);
              });

  private final List<String> done = new ArrayList<>();

  @Test
  void transportsAreOpenedInTheOrderOfTheirNames() {
    List<Endpoint> opened =
        Backends.open(
            List.of("fast", "slow"),
            List.of(new Fake("slow", false), new Fake("other", false), new Fake("fast", false)),
            HOST);
    assertThat(done).containsExactly("fast opens", "slow opens");
    assertThat(opened).hasSize(2).allMatch(e -> e.reaches(HERE, HERE));
  }

  @Test
  void whatCanNotBeUsedIsLeftOut() {
    List<Endpoint> opened =
        Backends.open(
            List.of("broken", "absent", "fast"),
            List.of(new Fake("absent", false), new Fake("broken", false), new Fake("fast", false)),
            HOST);
    assertThat(opened).hasSize(1);
    assertThat(done).containsExactly("fast opens");
  }

  /**
   * A setting that can not be used is a mistake of the operator; a device that is missing is none.
   */
  @Test
  void whatIsSetWronglyIsSaid() {
    List<String> said = new ArrayList<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord entry) {
            said.add(entry.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger log = Logger.getLogger("org.slipstream.core");
    log.addHandler(handler);
    try {
      Backends.open(
          List.of("broken", "absent", "wrong"),
          List.of(new Fake("wrong", false), new Fake("broken", false), new Fake("absent", false)),
          HOST);
    } finally {
      log.removeHandler(handler);
    }
    assertThat(said)
        .containsExactly(
            "SL010: Transport broken is not used: broken",
            "SL010: Transport wrong is not used: no key");
  }

  @Test
  void toolsFindAProcessThatMayNotUseTheirTransport() throws IOException {
    List<Endpoint> opened =
        Backends.open(
            List.of("fast"), List.of(new Fake("tools", true), new Fake("fast", false)), HOST);
    assertThat(done).containsExactlyInAnyOrder("tools opens", "fast opens");
    done.clear();
    for (Endpoint endpoint : opened) {
      endpoint.announce(HERE).close();
      endpoint.beVisible();
    }
    assertThat(done)
        .containsExactlyInAnyOrder(
            "tools is visible", "tools is visible", "fast announces", "fast is visible");
    assertThat(opened).filteredOn(e -> e.reaches(HERE, HERE)).hasSize(1);
    assertThat(opened).filteredOn(e -> e.findPeers(HERE, s -> {}, () -> {}) > 0).hasSize(1);
    done.clear();
    for (Endpoint endpoint : opened) {
      endpoint.close();
    }
    assertThat(done).containsExactlyInAnyOrder("tools closes", "fast closes");
  }

  /** Between the others it announces, and no stream is offered over it. */
  @Test
  void aTransportThatCanNotBeUsedMayTellPeersSo() throws IOException {
    List<Endpoint> opened =
        Backends.open(
            List.of("wrong", "absent", "fast"),
            List.of(new Fake("wrong", false), new Fake("absent", false), new Fake("fast", false)),
            HOST);
    assertThat(done).containsExactly("wrong opens to refuse", "fast opens");
    done.clear();
    for (Endpoint endpoint : opened) {
      endpoint.announce(HERE).close();
      endpoint.close();
    }
    assertThat(done)
        .containsExactly("wrong announces", "wrong closes", "fast announces", "fast closes");
  }

  private final class Fake implements Transport {
    private final String name;
    private final boolean tools;

    Fake(String name, boolean tools) {
      this.name = name;
      this.tools = tools;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public Availability availability() {
      return name.equals("absent") || name.equals("wrong")
          ? Availability.no("not here")
          : Availability.yes("here");
    }

    @Override
    public @Nullable String mistake() {
      return name.equals("wrong") ? "no key" : null;
    }

    @Override
    public boolean showsProcess() {
      return tools;
    }

    @Override
    public @Nullable Endpoint openToRefuse(TransportHost host) throws IOException {
      if (!name.equals("wrong")) {
        return null;
      }
      done.add(name + " opens to refuse");
      return new Presence(name);
    }

    @Override
    public Endpoint open(TransportHost host) throws IOException {
      if (name.equals("broken")) {
        throw new IOException("broken");
      }
      done.add(name + " opens");
      return new Presence(name);
    }
  }

  private final class Presence extends FakeEndpoint {
    private final String name;

    Presence(String name) {
      this.name = name;
    }

    @Override
    public Closeable announce(InetSocketAddress address) {
      done.add(name + " announces");
      return () -> {};
    }

    @Override
    public void beVisible() {
      done.add(name + " is visible");
    }

    @Override
    public int findPeers(InetSocketAddress remote, Consumer<Session> answer, Runnable none) {
      return 1;
    }

    @Override
    public void close() {
      done.add(name + " closes");
    }
  }
}
