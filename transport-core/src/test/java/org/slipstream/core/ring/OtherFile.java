package org.slipstream.core.ring;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;

/** A file of which nothing works. */
abstract class OtherFile extends FileChannel {
  private static IOException broken() {
    return new IOException("Input/output error");
  }

  @Override
  public int read(ByteBuffer dst, long position) throws IOException {
    throw broken();
  }

  @Override
  public int write(ByteBuffer src, long position) throws IOException {
    throw broken();
  }

  @Override
  public int read(ByteBuffer dst) throws IOException {
    throw broken();
  }

  @Override
  public long read(ByteBuffer[] dsts, int offset, int length) throws IOException {
    throw broken();
  }

  @Override
  public int write(ByteBuffer src) throws IOException {
    throw broken();
  }

  @Override
  public long write(ByteBuffer[] srcs, int offset, int length) throws IOException {
    throw broken();
  }

  @Override
  public long position() throws IOException {
    throw broken();
  }

  @Override
  public FileChannel position(long newPosition) throws IOException {
    throw broken();
  }

  @Override
  public long size() throws IOException {
    throw broken();
  }

  @Override
  public FileChannel truncate(long size) throws IOException {
    throw broken();
  }

  @Override
  public void force(boolean metaData) throws IOException {
    throw broken();
  }

  @Override
  public long transferTo(long position, long count, WritableByteChannel target) throws IOException {
    throw broken();
  }

  @Override
  public long transferFrom(ReadableByteChannel src, long position, long count) throws IOException {
    throw broken();
  }

  @Override
  public MappedByteBuffer map(MapMode mode, long position, long size) throws IOException {
    throw broken();
  }

  @Override
  public FileLock lock(long position, long size, boolean shared) throws IOException {
    throw broken();
  }

  @Override
  public FileLock tryLock(long position, long size, boolean shared) throws IOException {
    throw broken();
  }

  @Override
  protected void implCloseChannel() {
    // There is nothing to close.
  }
}
