package org.slipstream.it.process;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.slipstream.netty.SlipstreamIoHandler;
import org.slipstream.netty.SlipstreamServerSocketChannel;
import org.slipstream.netty.SlipstreamSocketChannel;
import org.slipstream.netty.reactor.SlipstreamLoopResources;
import org.slipstream.netty.vertx.SlipstreamTransport;
import org.slipstream.testkit.Patience;
import reactor.core.publisher.Mono;
import reactor.netty.ByteBufFlux;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.server.HttpServer;
import reactor.netty.resources.LoopResources;

/**
 * The libraries on top of Netty, over our transport, in a child JVM: the commands of a {@link
 * Peer}.
 */
final class NettyPeerProgram {
  private static final String HOST = System.getProperty("peer.address", "127.0.0.1");
  private static final EventLoopGroup GROUP =
      new MultiThreadIoEventLoopGroup(
          2, new DefaultThreadFactory("loop", true), SlipstreamIoHandler.newFactory());
  private static final LoopResources LOOPS = new SlipstreamLoopResources();
  private static final MethodDescriptor<byte[], byte[]> UNARY = method("unary", MethodType.UNARY);
  private static final MethodDescriptor<byte[], byte[]> STREAMING =
      method("streaming", MethodType.BIDI_STREAMING);

  private NettyPeerProgram() {}

  /**
   * Reads commands.
   *
   * @param args none
   * @throws IOException without an input
   */
  public static void main(String[] args) throws IOException {
    System.out.println("@0 ready");
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    String line;
    while ((line = lines.readLine()) != null) {
      String[] words = line.split(" ", -1);
      System.out.println("@" + words[0] + " " + answer(words));
    }
    System.exit(0);
  }

  private static String answer(String[] w) {
    try {
      return switch (w[1]) {
        case "grpcServe" -> "ok " + grpcServe();
        case "httpServe" -> "ok " + httpServe();
        case "unary" -> unary(number(w[2]), number(w[3]), number(w[4]));
        case "streaming" -> streaming(number(w[2]), number(w[3]), number(w[4]));
        case "vertxServe" -> "ok " + vertxServe();
        case "vertxPost" -> vertxPost(number(w[2]), number(w[3]), number(w[4]), w[5]);
        case "leaks" -> leaks();
        case "post" -> post(number(w[2]), number(w[3]), number(w[4]));
        default -> "no such command";
      };
    } catch (Exception | LinkageError | AssertionError e) {
      e.printStackTrace();
      return "error " + e;
    }
  }

  private static int number(String word) {
    return Integer.parseInt(word);
  }

  private static byte[] message(int size, int seed) {
    byte[] bytes = new byte[size];
    for (int i = 0; i < size; i++) {
      bytes[i] = (byte) (i * 31 + seed);
    }
    return bytes;
  }

  private static void check(byte[] got, int size, int seed) {
    if (!Arrays.equals(got, message(size, seed))) {
      throw new AssertionError("message " + seed + " came back changed");
    }
  }

  // -- gRPC ------------------------------------------------------------------------------------

  private static MethodDescriptor<byte[], byte[]> method(String name, MethodType type) {
    return MethodDescriptor.<byte[], byte[]>newBuilder()
        .setType(type)
        .setFullMethodName(MethodDescriptor.generateFullMethodName("Echo", name))
        .setRequestMarshaller(new Bytes())
        .setResponseMarshaller(new Bytes())
        .build();
  }

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

  private static int grpcServe() throws IOException {
    return NettyServerBuilder.forAddress(new InetSocketAddress(HOST, 0))
        .bossEventLoopGroup(GROUP)
        .workerEventLoopGroup(GROUP)
        .channelType(SlipstreamServerSocketChannel.class)
        .addService(
            ServerServiceDefinition.builder("Echo")
                .addMethod(
                    UNARY,
                    ServerCalls.asyncUnaryCall((request, answer) -> {
                      answer.onNext(request);
                      answer.onCompleted();
                    }))
                .addMethod(STREAMING, ServerCalls.asyncBidiStreamingCall(answer -> answer))
                .build())
        .build()
        .start()
        .getPort();
  }

  private static ManagedChannel grpcConnect(int port) {
    return NettyChannelBuilder.forAddress(HOST, port)
        .usePlaintext()
        .eventLoopGroup(GROUP)
        .channelType(SlipstreamSocketChannel.class)
        .build();
  }

  private static String unary(int port, int count, int size) {
    ManagedChannel channel = grpcConnect(port);
    for (int i = 0; i < count; i++) {
      check(
          ClientCalls.blockingUnaryCall(channel, UNARY, CallOptions.DEFAULT, message(size, i)),
          size,
          i);
    }
    return "ok";
  }

  private static String streaming(int port, int count, int size) throws InterruptedException {
    AtomicInteger received = new AtomicInteger();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    CountDownLatch done = new CountDownLatch(1);
    StreamObserver<byte[]> request =
        ClientCalls.asyncBidiStreamingCall(
            grpcConnect(port).newCall(STREAMING, CallOptions.DEFAULT),
            new StreamObserver<>() {
              @Override
              public void onNext(byte[] answer) {
                check(answer, size, received.getAndIncrement());
              }

              @Override
              public void onError(Throwable cause) {
                failure.set(cause);
                done.countDown();
              }

              @Override
              public void onCompleted() {
                done.countDown();
              }
            });
    for (int i = 0; i < count; i++) {
      request.onNext(message(size, i));
    }
    request.onCompleted();
    boolean ended = done.await(Patience.LONG.toSeconds(), TimeUnit.SECONDS);
    return ended && failure.get() == null && received.get() == count
        ? "ok"
        : "error " + received + " of " + count + ", " + failure;
  }

  // -- HTTP ------------------------------------------------------------------------------------

  private static int httpServe() {
    return HttpServer.create()
        .host(HOST)
        .port(0)
        .runOn(LOOPS)
        .route(routes ->
            routes.post("/echo", (request, answer) -> answer.send(request.receive().retain())))
        .bindNow()
        .port();
  }

  private static String post(int port, int count, int size) {
    HttpClient client = HttpClient.create().runOn(LOOPS);
    for (int i = 0; i < count; i++) {
      byte[] answer =
          client
              .post()
              .uri("http://" + HOST + ":" + port + "/echo")
              .send(ByteBufFlux.fromInbound(Mono.just(message(size, i))))
              .responseContent()
              .aggregate()
              .asByteArray()
              .block();
      check(answer, size, i);
    }
    return "ok";
  }

  // -- Vert.x ----------------------------------------------------------------------------------

  /** Vert.x closes servers and clients that are no longer referred to. */
  private static final Queue<Object> HELD = new ConcurrentLinkedQueue<>();

  private static <T> T held(T object) {
    HELD.add(object);
    return object;
  }

  private static Vertx vertx() {
    return held(Vertx.builder().withTransport(new SlipstreamTransport()).build());
  }

  private static int vertxServe() {
    return held(vertx().createHttpServer())
        .requestHandler(request -> request.body().onSuccess(body -> request.response().end(body)))
        .listen(0, HOST)
        .await()
        .actualPort();
  }

  /**
   * Takes each body inside the callback of its request: added by this thread, {@code body()} could
   * come after the answer, whose bytes Vert.x would have thrown away.
   */
  private static String vertxPost(int port, int count, int size, String version) {
    var options = new HttpClientOptions().setProtocolVersion(HttpVersion.valueOf(version));
    var client = held(vertx().createHttpClient(options));
    for (int i = 0; i < count; i++) {
      byte[] body = message(size, i);
      byte[] answer =
          client
              .request(HttpMethod.POST, port, HOST, "/")
              .compose(
                  request -> request.send(Buffer.buffer(body)).compose(response -> response.body()))
              .await()
              .getBytes();
      check(answer, size, i);
    }
    return "ok";
  }

  // -- leaks -----------------------------------------------------------------------------------

  /** Has lost buffers reported: the detector looks for them when others are allocated. */
  private static String leaks() {
    for (int i = 0; i < 5; i++) {
      System.gc();
      for (int j = 0; j < 100; j++) {
        PooledByteBufAllocator.DEFAULT.directBuffer(16).release();
        UnpooledByteBufAllocator.DEFAULT.directBuffer(16).release();
      }
    }
    return "ok";
  }
}
