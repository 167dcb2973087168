package org.slipstream.it.process;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.CompletionHandler;
import java.nio.channels.FileChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.slipstream.netty.SlipstreamIoHandler;
import org.slipstream.netty.SlipstreamServerSocketChannel;
import org.slipstream.netty.SlipstreamSocketChannel;

/**
 * All adapters at once, in a child JVM: echo servers, and clients that talk to them as fast as they
 * can until they are closed. What an adapter throws must be an {@link IOException}; everything else
 * is kept for the test. The commands of a {@link Peer}: {@code serve}, {@code open PORT...}, {@code
 * urgent true|false}, {@code wrong}, {@code close}.
 */
final class AdaptersProgram {
  static final int ADAPTERS = 6;

  private static final int BYTES = 3000;
  private static final InetAddress HOST = InetAddress.getLoopbackAddress();
  private static final Set<Closeable> OPEN = ConcurrentHashMap.newKeySet();
  private static final Queue<String> WRONG = new ConcurrentLinkedQueue<>();
  private static final AtomicInteger TURN = new AtomicInteger();
  private static final EventLoopGroup NIO_LOOPS = loops(NioIoHandler.newFactory());
  private static final EventLoopGroup OUR_LOOPS = loops(SlipstreamIoHandler.newFactory());

  /** To be sent. */
  private static final FileChannel FILE = file();

  /** Whether sockets send urgent data, too; before the switch it would keep a stream plain. */
  private static volatile boolean urgent;

  private AdaptersProgram() {}

  private static FileChannel file() {
    try {
      Path path = Files.write(Files.createTempFile("adapters", ""), new byte[BYTES]);
      return FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.DELETE_ON_CLOSE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static EventLoopGroup loops(IoHandlerFactory io) {
    return new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("loop", true), io);
  }

  /**
   * Reads commands.
   *
   * @param args none
   * @throws IOException without an input
   */
  public static void main(String[] args) throws IOException {
    Thread.setDefaultUncaughtExceptionHandler((thread, e) -> wrong(thread.getName(), e));
    SelectorEcho selector = new SelectorEcho();
    thread("selector", selector::loop);
    System.out.println("@0 ready");
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    String line;
    while ((line = lines.readLine()) != null) {
      String[] words = line.split(" ", -1);
      String answer;
      try {
        answer = ("ok " + answer(words, selector)).strip();
      } catch (Exception e) {
        answer = "error " + e;
      }
      System.out.println("@" + words[0] + " " + answer);
    }
    FILE.close();
    System.exit(0);
  }

  private static String answer(String[] words, SelectorEcho selector) throws Exception {
    return switch (words[1]) {
      case "serve" -> serve(selector);
      case "open" -> {
        for (int adapter = 0; adapter < ADAPTERS; adapter++) {
          open(
              adapter, new InetSocketAddress(HOST, Integer.parseInt(words[2 + adapter])), selector);
        }
        yield "";
      }
      case "urgent" -> {
        urgent = Boolean.parseBoolean(words[2]);
        yield "";
      }
      case "wrong" -> String.join("; ", WRONG);
      case "close" -> {
        for (Closeable closeable : List.copyOf(OPEN)) {
          try {
            closeable.close();
          } catch (Throwable e) {
            wrong("close of " + closeable.getClass().getSimpleName(), e);
          }
          OPEN.remove(closeable);
        }
        yield "";
      }
      default -> throw new IllegalArgumentException(words[1]);
    };
  }

  private static void wrong(String where, Throwable e) {
    if (!(e instanceof IOException)) {
      StringBuilder text = new StringBuilder(where).append(": ").append(e);
      for (StackTraceElement element : e.getStackTrace()) {
        text.append(" < ").append(element);
      }
      WRONG.add(text.toString().replace('\n', ' '));
    }
  }

  /** What may fail in any way; the connection is over then, and only then. */
  @FunctionalInterface
  private interface Work {
    void run() throws Exception;
  }

  private static void thread(String name, Work work) {
    Thread.ofPlatform()
        .daemon()
        .name(name)
        .start(() -> {
          try {
            work.run();
          } catch (Throwable e) {
            wrong(name, e);
          }
        });
  }

  /** Runs the work of one connection, and closes it. */
  private static void connection(String name, Closeable connection, Work work) {
    OPEN.add(connection);
    thread(
        name,
        () -> {
          try {
            work.run();
          } catch (Throwable e) {
            wrong(name, e);
          } finally {
            OPEN.remove(connection);
            connection.close();
          }
        });
  }

  // -- servers ---------------------------------------------------------------------------------

  private static String serve(SelectorEcho selector) throws Exception {
    List<String> ports = new ArrayList<>();
    InetSocketAddress any = new InetSocketAddress(HOST, 0);
    ServerSocketChannel nio = ServerSocketChannel.open().bind(any);
    ports.add("" + nio.socket().getLocalPort());
    thread(
        "accept",
        () -> {
          for (; ; ) {
            SocketChannel channel = nio.accept();
            connection("echo nio", channel, () -> echo(channel));
          }
        });
    ServerSocketChannel selected = ServerSocketChannel.open().bind(any);
    ports.add("" + selected.socket().getLocalPort());
    thread(
        "accept",
        () -> {
          for (; ; ) {
            selector.add(selected.accept(), false);
          }
        });
    ServerSocket sockets = new ServerSocket(0, 50, HOST);
    ports.add("" + sockets.getLocalPort());
    thread(
        "accept",
        () -> {
          for (; ; ) {
            Socket socket = sockets.accept();
            connection(
                "echo socket",
                socket,
                () -> socket.getInputStream().transferTo(socket.getOutputStream()));
          }
        });
    AsynchronousServerSocketChannel async = AsynchronousServerSocketChannel.open().bind(any);
    ports.add("" + ((InetSocketAddress) async.getLocalAddress()).getPort());
    async.accept(
        null,
        new CompletionHandler<AsynchronousSocketChannel, Void>() {
          @Override
          public void completed(AsynchronousSocketChannel channel, Void nothing) {
            async.accept(null, this);
            new AsyncEcho(channel).start(false);
          }

          @Override
          public void failed(Throwable e, Void nothing) {
            wrong("accept async", e);
          }
        });
    ports.add("" + netty(NIO_LOOPS, NioServerSocketChannel.class, any));
    ports.add("" + netty(OUR_LOOPS, SlipstreamServerSocketChannel.class, any));
    return String.join(" ", ports);
  }

  private static int netty(
      EventLoopGroup loops, Class<? extends ServerChannel> type, InetSocketAddress any)
      throws Exception {
    Channel channel =
        new ServerBootstrap()
            .group(loops)
            .channel(type)
            .childHandler(init(false))
            .bind(any)
            .sync()
            .channel();
    return ((InetSocketAddress) channel.localAddress()).getPort();
  }

  private static ChannelInitializer<Channel> init(boolean client) {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel channel) {
        channel.pipeline().addLast(new NettyEcho(client));
      }
    };
  }

  private static void echo(SocketChannel channel) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(BYTES);
    while (channel.read(buffer.clear()) >= 0) {
      buffer.flip();
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
    }
  }

  // -- clients ---------------------------------------------------------------------------------

  private static void open(int adapter, InetSocketAddress to, SelectorEcho selector)
      throws Exception {
    switch (adapter) {
      case 0 -> {
        SocketChannel channel = SocketChannel.open(to);
        connection("nio", channel, () -> talk(channel));
      }
      case 1 -> selector.add(SocketChannel.open(to), true);
      case 2 -> {
        Socket socket = new Socket(to.getAddress(), to.getPort());
        connection("socket", socket, () -> talk(socket));
      }
      case 3 -> {
        AsynchronousSocketChannel channel = AsynchronousSocketChannel.open();
        channel.connect(to).get();
        new AsyncEcho(channel).start(true);
      }
      case 4 ->
          new Bootstrap()
              .group(NIO_LOOPS)
              .channel(NioSocketChannel.class)
              .handler(init(true))
              .connect(to)
              .sync();
      default ->
          new Bootstrap()
              .group(OUR_LOOPS)
              .channel(SlipstreamSocketChannel.class)
              .handler(init(true))
              .connect(to)
              .sync();
    }
  }

  /** Writes, gathers and sends a file in turns; half of them end with a half-close. */
  private static void talk(SocketChannel channel) throws IOException {
    ByteBuffer out = ByteBuffer.allocate(BYTES);
    ByteBuffer in = ByteBuffer.allocate(BYTES);
    boolean halfCloses = TURN.incrementAndGet() % 2 == 0;
    try {
      for (int i = 0; ; i++) {
        ByteBuffer[] both = {out.clear().slice(0, 100), out.slice(100, BYTES - 100)};
        if (i % 4 == 3) {
          for (long sent = 0; sent < BYTES; ) {
            sent += FILE.transferTo(sent, BYTES - sent, channel);
          }
        } else if (i % 2 == 0) {
          while (both[1].hasRemaining()) {
            channel.write(both);
          }
        } else {
          while (out.hasRemaining()) {
            channel.write(out);
          }
        }
        in.clear();
        while (in.hasRemaining()) {
          if (channel.read(in) < 0) {
            return;
          }
        }
      }
    } finally {
      if (halfCloses && channel.isOpen()) {
        channel.shutdownInput();
        channel.shutdownOutput();
      }
    }
  }

  /** With everything that a socket can be asked. */
  private static void talk(Socket socket) throws IOException {
    byte[] bytes = new byte[BYTES];
    InputStream in = socket.getInputStream();
    OutputStream out = socket.getOutputStream();
    boolean halfCloses = TURN.incrementAndGet() % 2 == 0;
    try {
      for (int i = 0; ; i++) {
        out.write(bytes);
        if (urgent && i % 8 == 0) {
          socket.setOOBInline(i % 16 == 0);
          socket.sendUrgentData(i);
        }
        in.available();
        if (in.readNBytes(BYTES).length < BYTES) {
          return;
        }
      }
    } finally {
      if (halfCloses) {
        socket.shutdownInput();
        socket.shutdownOutput();
      }
    }
  }

  // -- loops -----------------------------------------------------------------------------------

  /** Echoes, or keeps one message going round. */
  private static final class SelectorEcho {
    private final Selector selector;
    private final Queue<Work> arrivals = new ConcurrentLinkedQueue<>();

    SelectorEcho() throws IOException {
      selector = Selector.open();
    }

    void add(SocketChannel channel, boolean first) {
      OPEN.add(channel);
      arrivals.add(() -> {
        channel.configureBlocking(false);
        if (first) {
          channel.write(ByteBuffer.allocate(BYTES));
        }
        channel.register(
            selector, SelectionKey.OP_READ, ByteBuffer.allocateDirect(4 * BYTES).limit(0));
      });
      selector.wakeup();
    }

    void loop() throws IOException {
      for (; ; ) {
        selector.select();
        Work arrival;
        while ((arrival = arrivals.poll()) != null) {
          try {
            arrival.run();
          } catch (Exception e) {
            wrong("selector", e instanceof CancelledKeyException ? new IOException(e) : e);
          }
        }
        for (SelectionKey key : selector.selectedKeys()) {
          try {
            step(key);
          } catch (CancelledKeyException e) {
            key.cancel(); // closed by the test
          } catch (Throwable e) {
            wrong("selector", e);
            OPEN.remove((SocketChannel) key.channel());
            key.channel().close();
          }
        }
        selector.selectedKeys().clear();
      }
    }

    private static void step(SelectionKey key) throws IOException {
      SocketChannel channel = (SocketChannel) key.channel();
      ByteBuffer buffer = (ByteBuffer) key.attachment();
      buffer.compact();
      if (key.isReadable() && channel.read(buffer) < 0) {
        throw new IOException("the end");
      }
      buffer.flip();
      channel.write(buffer);
      key.interestOps(buffer.hasRemaining() ? SelectionKey.OP_WRITE : SelectionKey.OP_READ);
    }
  }

  /** One message goes round. */
  private static final class AsyncEcho implements CompletionHandler<Integer, Boolean> {
    private final AsynchronousSocketChannel channel;
    private final ByteBuffer buffer = ByteBuffer.allocate(BYTES);

    AsyncEcho(AsynchronousSocketChannel channel) {
      this.channel = channel;
      OPEN.add(channel);
    }

    void start(boolean first) {
      if (first) {
        channel.write(buffer, true, this);
      } else {
        channel.read(buffer, false, this);
      }
    }

    @Override
    public void completed(Integer bytes, Boolean wasWrite) {
      try {
        if (wasWrite && buffer.hasRemaining()) {
          channel.write(buffer, true, this);
        } else if (wasWrite) {
          channel.read(buffer.clear(), false, this);
        } else if (bytes < 0) {
          end();
        } else {
          channel.write(buffer.flip(), true, this);
        }
      } catch (Throwable e) {
        failed(e, wasWrite);
      }
    }

    @Override
    public void failed(Throwable e, Boolean wasWrite) {
      wrong("async", e);
      end();
    }

    private void end() {
      OPEN.remove(channel);
      try {
        channel.close();
      } catch (Throwable e) {
        wrong("close async", e);
      }
    }
  }

  private static final class NettyEcho extends ChannelInboundHandlerAdapter {
    private final boolean client;
    private Closeable closeable = () -> {};

    NettyEcho(boolean client) {
      this.client = client;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
      closeable = () -> context.close().awaitUninterruptibly();
      OPEN.add(closeable);
      if (client) {
        var _ = context.writeAndFlush(Unpooled.directBuffer(BYTES).writeZero(BYTES));
      }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      var _ = context.writeAndFlush(message);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      OPEN.remove(closeable);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable e) {
      wrong("netty", e);
      var _ = context.close();
    }
  }
}
