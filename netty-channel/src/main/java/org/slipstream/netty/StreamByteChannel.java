package org.slipstream.netty;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ScatteringByteChannel;
import org.slipstream.core.stream.FileEnd;
import org.slipstream.core.stream.FileTransfer;
import org.slipstream.core.stream.Stream;

/** A stream in the form in which a {@code ByteBuf} or a {@code FileRegion} asks for it. */
final class StreamByteChannel implements ScatteringByteChannel, GatheringByteChannel, FileEnd {
  private final Stream stream;

  StreamByteChannel(Stream stream) {
    this.stream = stream;
  }

  @Override
  public int read(ByteBuffer dst) throws IOException {
    return stream.read(dst, false, 0);
  }

  @Override
  public long read(ByteBuffer[] dsts, int offset, int length) throws IOException {
    return stream.read(dsts, offset, length, false);
  }

  @Override
  public long read(ByteBuffer[] dsts) throws IOException {
    return read(dsts, 0, dsts.length);
  }

  @Override
  public int write(ByteBuffer src) throws IOException {
    return stream.write(src, false);
  }

  @Override
  public long write(ByteBuffer[] srcs, int offset, int length) throws IOException {
    return stream.write(srcs, offset, length, false);
  }

  @Override
  public long write(ByteBuffer[] srcs) throws IOException {
    return write(srcs, 0, srcs.length);
  }

  @Override
  public long move(FileChannel file, long position, long count, boolean fromFile)
      throws IOException {
    return fromFile
        ? FileTransfer.send(stream, file, position, count, false, FileChannel::transferTo)
        : FileTransfer.UNSUPPORTED; // no region reads a channel
  }

  @Override
  public boolean isOpen() {
    return stream.isOpen();
  }

  @Override
  public void close() throws IOException {
    stream.close(false);
  }
}
