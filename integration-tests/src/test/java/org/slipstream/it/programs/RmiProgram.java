package org.slipstream.it.programs;

import java.io.IOException;
import java.rmi.Remote;
import java.rmi.RemoteException;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.UnicastRemoteObject;
import java.util.Arrays;
import java.util.Random;

/** A remote object and its registry, on one port. */
public final class RmiProgram {
  private static final int CALLS = 400;

  private RmiProgram() {}

  /** What can be called from elsewhere. */
  public interface Echo extends Remote {
    byte[] echo(byte[] data) throws RemoteException;
  }

  private static final class Echoing implements Echo {
    @Override
    public byte[] echo(byte[] data) {
      return data;
    }
  }

  public static void main(String[] args) throws Exception {
    System.setProperty("java.rmi.server.hostname", "127.0.0.1");
    if (args.length > 1) {
      Registry registry = LocateRegistry.getRegistry("127.0.0.1", Integer.parseInt(args[1]));
      Echo echo = (Echo) registry.lookup("echo");
      if (args[0].equals("load")) {
        byte[] message = new byte[Load.MESSAGE];
        Load.serve(() -> () -> echo.echo(message));
      }
      call(echo);
      return;
    }
    int port = Role.freePort();
    Registry registry = LocateRegistry.createRegistry(port);
    Echo echo = new Echoing();
    registry.rebind("echo", UnicastRemoteObject.exportObject(echo, port));
    Role.serving(port);
  }

  private static void call(Echo echo) throws IOException {
    Random random = new Random(2);
    for (int i = 0; i < CALLS; i++) {
      byte[] data = new byte[random.nextInt(20_000)];
      random.nextBytes(data);
      if (!Arrays.equals(echo.echo(data), data)) {
        throw new IOException("call " + i + " came back changed");
      }
    }
    Role.done(CALLS + " calls");
  }
}
