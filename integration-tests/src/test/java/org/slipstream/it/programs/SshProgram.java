package org.slipstream.it.programs;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Random;
import org.apache.sshd.client.SshClient;
import org.apache.sshd.client.channel.ChannelExec;
import org.apache.sshd.client.channel.ClientChannelEvent;
import org.apache.sshd.client.keyverifier.AcceptAllServerKeyVerifier;
import org.apache.sshd.client.session.ClientSession;
import org.apache.sshd.server.SshServer;
import org.apache.sshd.server.keyprovider.SimpleGeneratorHostKeyProvider;
import org.apache.sshd.server.shell.ProcessShellCommandFactory;

/** Apache MINA SSHD, whose ends both use asynchronous channels: {@code cat} over SSH. */
public final class SshProgram {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final int COMMANDS = 6;

  private SshProgram() {}

  public static void main(String[] args) throws Exception {
    if (args.length > 1) {
      client(Integer.parseInt(args[1]));
      return;
    }
    SshServer server = SshServer.setUpDefaultServer();
    server.setHost("127.0.0.1");
    server.setPort(0);
    server.setKeyPairProvider(new SimpleGeneratorHostKeyProvider());
    server.setPasswordAuthenticator((user, password, session) -> password.equals("secret"));
    server.setCommandFactory(ProcessShellCommandFactory.INSTANCE);
    server.start();
    Role.serving(server.getPort());
  }

  private static void client(int port) throws IOException {
    try (SshClient client = SshClient.setUpDefaultClient()) {
      client.setServerKeyVerifier(AcceptAllServerKeyVerifier.INSTANCE);
      client.start();
      try (ClientSession session =
          client.connect("me", "127.0.0.1", port).verify(PATIENCE).getSession()) {
        session.addPasswordIdentity("secret");
        session.auth().verify(PATIENCE);
        Random random = new Random(3);
        for (int i = 0; i < COMMANDS; i++) {
          byte[] data = new byte[200_000];
          random.nextBytes(data);
          cat(session, data);
        }
        Role.done(COMMANDS + " commands");
      }
    }
  }

  private static void cat(ClientSession session, byte[] data) throws IOException {
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
}
