package org.slipstream.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoop;
import io.netty.channel.FileRegion;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.nio.AbstractNioChannel;
import io.netty.channel.nio.NioIoOps;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.channel.socket.SocketChannelConfig;
import io.netty.util.internal.StringUtil;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slipstream.core.stream.Stream;

/**
 * The byte traffic of a channel: from the stream straight into the allocated buffer, and from the
 * flushed buffers straight into the stream. Connecting, timeouts and promises are those of Netty's
 * NIO base class; the loops below behave as its byte channel does.
 *
 * <p>For the event loop's thread, where nothing else is said.
 */
abstract class StreamChannel extends AbstractNioChannel {
  private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);

  /** Buffers and bytes of one gathering write; a ring does not take more. */
  private static final int GATHERED_BUFFERS = 1024;

  private static final long GATHERED_BYTES = 256 * 1024;

  private final Stream stream;
  private final StreamByteChannel bytes;
  private final Runnable flushTask = this::flushAgain;

  /** As {@code readPending} of the base class, which keeps it to itself. */
  private boolean readWanted;

  private boolean inputEndReported;

  StreamChannel(@Nullable Channel parent, SocketChannel tcp, Stream stream) {
    super(parent, tcp, SelectionKey.OP_READ);
    this.stream = stream;
    this.bytes = new StreamByteChannel(stream);
  }

  /** Any thread. */
  final Stream stream() {
    return stream;
  }

  @Override
  public final ChannelMetadata metadata() {
    return METADATA;
  }

  @Override
  public abstract SocketChannelConfig config();

  /** The stream's, not the TCP connection's, which may outlive it for a moment. */
  @Override
  public final boolean isOpen() {
    return stream.isOpen();
  }

  abstract boolean isInputShutdown();

  abstract ChannelFuture shutdownInput();

  @Override
  protected final boolean isCompatible(EventLoop loop) {
    return loop instanceof IoEventLoop l && l.isCompatible(StreamHandle.class);
  }

  /** Any thread. */
  final void autoReadCleared() {
    clearReadPending();
  }

  @Override
  protected final void doBeginRead() throws Exception {
    readWanted = true;
    super.doBeginRead();
  }

  // -- writing ---------------------------------------------------------------------------------

  /** The ring takes heap memory as it is; the kernel would have it copied, so Netty does it. */
  @Override
  protected final Object filterOutboundMessage(Object msg) {
    if (msg instanceof ByteBuf buf) {
      boolean asItIs = buf.isDirect() || stream.readiness().isOutboundRing();
      return asItIs && buf.nioBufferCount() > 0 ? buf : newDirectBuffer(buf);
    }
    if (msg instanceof FileRegion) {
      return msg;
    }
    throw new UnsupportedOperationException(
        "unsupported message type: " + StringUtil.simpleClassName(msg));
  }

  @Override
  protected final void doWrite(ChannelOutboundBuffer in) throws Exception {
    for (int quantum = config().getWriteSpinCount(); quantum > 0; quantum--) {
      if (in.isEmpty()) {
        setWriteInterest(false);
        return;
      }
      ByteBuffer[] buffers = in.nioBuffers(GATHERED_BUFFERS, GATHERED_BYTES);
      int count = in.nioBufferCount();
      if (count == 0) {
        if (!writeOther(in)) {
          setWriteInterest(true);
          return;
        }
        continue;
      }
      long n =
          count == 1 ? stream.write(buffers[0], false) : stream.write(buffers, 0, count, false);
      if (n <= 0) {
        setWriteInterest(true);
        return;
      }
      in.removeBytes(n);
    }
    // The quantum is used up, but there may be space: let others have their turn.
    setWriteInterest(false);
    if (!in.isEmpty()) {
      eventLoop().execute(flushTask);
    }
  }

  /** Writes what is not bytes in memory; false if there was no space. */
  private boolean writeOther(ChannelOutboundBuffer in) throws IOException {
    Object msg = in.current();
    if (msg instanceof FileRegion region) {
      if (region.transferred() < region.count()) {
        long n = FileRegions.write(region, bytes);
        if (n <= 0) {
          return false;
        }
        in.progress(n);
      }
      if (region.transferred() >= region.count()) {
        in.remove();
      }
      return true;
    }
    in.remove(); // an empty buffer
    return true;
  }

  private void flushAgain() {
    ((StreamUnsafe) unsafe()).forceFlush();
  }

  private void setWriteInterest(boolean wanted) {
    IoRegistration registration = registration();
    if (!registration.isValid()) {
      return; // deregistered meanwhile
    }
    if (wanted) {
      addAndSubmit(NioIoOps.WRITE);
    } else {
      removeAndSubmit(NioIoOps.WRITE);
    }
  }

  /** What is waited for is the same, but now it can come. */
  final void refreshInterest() {
    IoRegistration registration = registration();
    InterestKey key = registration.attachment();
    registration.submit(NioIoOps.valueOf(key.interestOps()));
  }

  // -- reading ---------------------------------------------------------------------------------

  @Override
  protected AbstractNioUnsafe newUnsafe() {
    return new StreamUnsafe();
  }

  // The allocator's handle is deprecated, but all that Netty has; futures are the pipeline's to
  // tell.
  @SuppressWarnings({"deprecation", "FutureReturnValueIgnored"})
  final class StreamUnsafe extends AbstractNioUnsafe implements StreamHandle {
    @Override
    public Stream stream() {
      return stream;
    }

    @Override
    public void read() {
      SocketChannelConfig config = config();
      if (isInputShutdown() && (inputEndReported || !config.isAllowHalfClosure())) {
        clearReadPending();
        return;
      }
      ChannelPipeline pipeline = pipeline();
      ByteBufAllocator allocator = config.getAllocator();
      RecvByteBufAllocator.Handle sizes = recvBufAllocHandle();
      sizes.reset(config);
      ByteBuf buf = null;
      boolean end = false;
      try {
        do {
          buf = sizes.allocate(allocator);
          sizes.attemptedBytesRead(buf.writableBytes());
          sizes.lastBytesRead(buf.writeBytes(bytes, buf.writableBytes()));
          if (sizes.lastBytesRead() <= 0) {
            buf.release();
            buf = null;
            end = sizes.lastBytesRead() < 0;
            if (end) {
              readWanted = false;
            }
            break;
          }
          sizes.incMessagesRead(1);
          readWanted = false;
          ByteBuf message = buf;
          buf = null;
          pipeline.fireChannelRead(message);
        } while (sizes.continueReading());
        sizes.readComplete();
        pipeline.fireChannelReadComplete();
        if (end) {
          endOfInput(pipeline);
        }
      } catch (Throwable t) {
        readFailed(pipeline, sizes, buf, t, end);
      } finally {
        // The program may have asked for more meanwhile; else there was one read to do.
        if (!readWanted && !config.isAutoRead()) {
          removeReadOp();
        }
      }
    }

    private void readFailed(
        ChannelPipeline pipeline,
        RecvByteBufAllocator.Handle sizes,
        @Nullable ByteBuf buf,
        Throwable cause,
        boolean end) {
      if (buf != null) {
        buf.release();
      }
      sizes.readComplete();
      pipeline.fireChannelReadComplete();
      pipeline.fireExceptionCaught(cause);
      if (end || cause instanceof IOException || cause instanceof OutOfMemoryError) {
        endOfInput(pipeline);
      }
    }

    private void endOfInput(ChannelPipeline pipeline) {
      if (!isInputShutdown()) {
        if (config().isAllowHalfClosure()) {
          shutdownInput();
          pipeline.fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        } else {
          close(voidPromise());
        }
      } else if (!inputEndReported) {
        inputEndReported = true;
        pipeline.fireUserEventTriggered(ChannelInputShutdownReadComplete.INSTANCE);
      }
    }

    @Override
    protected @Nullable Executor prepareToClose() {
      return closeExecutor();
    }
  }

  /** Where a close that may linger is done; null for the event loop. */
  abstract @Nullable Executor closeExecutor();

  @Override
  protected void doClose() throws Exception {
    super.doClose();
    stream.close(false);
  }

  static ChannelException failed(String what, IOException cause) {
    return new ChannelException(what + ": " + cause.getMessage(), cause);
  }
}
