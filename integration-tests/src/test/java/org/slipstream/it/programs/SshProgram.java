package org.slipstream.it.programs;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Random;
import org.apache.sshd.client.SshClient;
import org.apache.sshd.client.channel.ChannelExec;
import org.apache.sshd.client.channel.ClientChannelEvent;
import org.apache.sshd.client.keyverifier.AcceptAllServerKeyVerifier;
import org.apache.sshd.client.session.ClientSession;
import org.apache.sshd.server.Environment;
import org.apache.sshd.server.ExitCallback;
import org.apache.sshd.server.SshServer;
import org.apache.sshd.server.channel.ChannelSession;
import org.apache.sshd.server.command.Command;
import org.apache.sshd.server.keyprovider.SimpleGeneratorHostKeyProvider;

/** Apache MINA SSHD, whose ends both use asynchronous channels: what is sent comes back. */
public final class SshProgram {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int COMMANDS = 6;
  private static final int BYTES = 200_000;

  private SshProgram() {}

  /** As {@code cat}, but without a process. */
  private static final class Cat implements Command, Runnable {
    private InputStream in = InputStream.nullInputStream();
    private OutputStream out = OutputStream.nullOutputStream();
    private ExitCallback exit = (code, message, immediately) -> {};

    @Override
    public void setInputStream(InputStream stream) {
      in = stream;
    }

    @Override
    public void setOutputStream(OutputStream stream) {
      out = stream;
    }

    @Override
    public void setErrorStream(OutputStream stream) {
      // Nothing goes there.
    }

    @Override
    public void setExitCallback(ExitCallback callback) {
      exit = callback;
    }

    @Override
    public void start(ChannelSession channel, Environment environment) {
      Thread.ofPlatform().daemon().start(this);
    }

    @Override
    public void run() {
      byte[] some = new byte[8192];
      try {
        for (int n = in.read(some); n >= 0; n = in.read(some)) {
          out.write(some, 0, n);
          out.flush();
        }
        exit.onExit(0);
      } catch (IOException e) {
        exit.onExit(1, e.toString());
      }
    }

    @Override
    public void destroy(ChannelSession channel) {
      // The thread ends with its input.
    }
  }

  public static void main(String[] args) throws Exception {
    if (args[0].equals("server")) {
      SshServer server = SshServer.setUpDefaultServer();
      server.setHost("127.0.0.1");
      server.setPort(0);
      server.setKeyPairProvider(new SimpleGeneratorHostKeyProvider());
      server.setPasswordAuthenticator((user, password, session) -> password.equals("secret"));
      server.setCommandFactory((channel, command) -> new Cat());
      server.start();
      Role.serving(server.getPort());
      return;
    }
    try (SshClient client = SshClient.setUpDefaultClient()) {
      client.setServerKeyVerifier(AcceptAllServerKeyVerifier.INSTANCE);
      client.start();
      int port = Integer.parseInt(args[1]);
      if (args[0].equals("load")) {
        Load.serve(() -> conversation(session(client, port)));
      }
      cat(session(client, port));
    }
  }

  private static ClientSession session(SshClient client, int port) throws IOException {
    ClientSession session = client.connect("me", "127.0.0.1", port).verify(PATIENCE).getSession();
    session.addPasswordIdentity("secret");
    session.auth().verify(PATIENCE);
    return session;
  }

  private static void cat(ClientSession session) throws IOException {
    Random random = new Random(3);
    for (int i = 0; i < COMMANDS; i++) {
      byte[] data = new byte[BYTES];
      random.nextBytes(data);
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      try (ChannelExec channel = session.createExecChannel("cat")) {
        channel.setIn(new ByteArrayInputStream(data));
        channel.setOut(out);
        channel.open().verify(PATIENCE);
        channel.waitFor(EnumSet.of(ClientChannelEvent.CLOSED), PATIENCE);
      }
      if (!Arrays.equals(out.toByteArray(), data)) {
        throw new IOException("cat gave " + out.size() + " bytes of " + data.length);
      }
    }
    Role.done(COMMANDS + " commands");
  }

  private static Load.Operation conversation(ClientSession session) throws IOException {
    ChannelExec channel = session.createExecChannel("cat");
    channel.open().verify(PATIENCE);
    OutputStream out = channel.getInvertedIn();
    DataInputStream in = new DataInputStream(channel.getInvertedOut());
    byte[] message = new byte[Load.MESSAGE];
    return () -> {
      out.write(message);
      out.flush();
      in.readFully(message);
    };
  }
}
