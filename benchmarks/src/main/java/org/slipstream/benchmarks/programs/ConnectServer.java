package org.slipstream.benchmarks.programs;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** Accepts, answers one request, and closes after the client has closed. */
public final class ConnectServer {
  private ConnectServer() {}

  /** Listens and serves connections as the commands say. */
  public static void main(String[] args) throws IOException, InterruptedException {
    Arguments arguments = Arguments.parse(args);
    ByteBuffer buffer = ByteBuffer.allocateDirect(arguments.bytes());
    try (ServerSocketChannel listener = Connections.listen(arguments.port())) {
      Commands.serve(Connections.greeting(listener), slice -> serve(listener, buffer, slice));
    }
  }

  private static String serve(ServerSocketChannel listener, ByteBuffer buffer, Slice slice)
      throws IOException {
    ByteBuffer message = buffer.slice(0, slice.size());
    byte kind = PingPongServer.MORE;
    while (kind != PingPongServer.LAST) {
      try (SocketChannel channel = listener.accept()) {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        Connections.readFully(channel, message);
        kind = message.get(0);
        Connections.writeFully(channel, message);
        if (channel.read(message.clear()) >= 0) {
          throw new IOException("the client sent more than one request");
        }
      }
    }
    return "done";
  }
}
