package org.slipstream.servers.services;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Random;
import org.slipstream.servers.Loop;

/** Unary calls, one after the other; each answer is compared. */
public final class GrpcLoad {
  static final String SERVICE = "org.slipstream.Echo";

  static final MethodDescriptor<byte[], byte[]> PIGGYBACK =
      MethodDescriptor.<byte[], byte[]>newBuilder()
          .setType(MethodType.UNARY)
          .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, "echo"))
          .setRequestMarshaller(new Bytes())
          .setResponseMarshaller(new Bytes())
          .build();

  private static final int BYTES = 1000;

  private GrpcLoad() {}

  private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] value) {
      return new ByteArrayInputStream(value);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        return stream.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /**
   * {@code PORT}.
   *
   * @param args see above
   */
  public static void main(String[] args) throws Exception {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress(
                new InetSocketAddress("127.0.0.1", Integer.parseInt(args[0])))
            .usePlaintext()
            .build();
    Random random = new Random(1);
    byte[] body = new byte[BYTES];
    Loop.serve(
        1,
        () -> {
          random.nextBytes(body);
          byte[] answer =
              ClientCalls.blockingUnaryCall(channel, PIGGYBACK, CallOptions.DEFAULT, body);
          if (!Arrays.equals(body, answer)) {
            throw new IllegalStateException("another body came back");
          }
        });
    channel.shutdownNow();
  }
}
