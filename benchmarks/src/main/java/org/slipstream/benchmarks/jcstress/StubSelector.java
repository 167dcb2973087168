package org.slipstream.benchmarks.jcstress;

import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelectionKey;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A selector without a kernel: it keeps what its keys are asked for, and reports nothing. */
final class StubSelector extends AbstractSelector {
  StubSelector() {
    super(SelectorProvider.provider());
  }

  @Override
  protected SelectionKey register(AbstractSelectableChannel ch, int ops, @Nullable Object att) {
    SelectionKey key = new Key(this, ch, ops);
    key.attach(att);
    return key;
  }

  private static final class Key extends AbstractSelectionKey {
    private final StubSelector selector;
    private final SelectableChannel channel;
    private final AtomicInteger interest;

    Key(StubSelector selector, SelectableChannel channel, int ops) {
      this.selector = selector;
      this.channel = channel;
      this.interest = new AtomicInteger(ops);
    }

    @Override
    public SelectableChannel channel() {
      return channel;
    }

    @Override
    public Selector selector() {
      return selector;
    }

    @Override
    public int interestOps() {
      return interest.get();
    }

    @Override
    public SelectionKey interestOps(int ops) {
      interest.set(ops);
      return this;
    }

    @Override
    public int readyOps() {
      return 0;
    }
  }

  @Override
  public Set<SelectionKey> keys() {
    return Set.of();
  }

  @Override
  public Set<SelectionKey> selectedKeys() {
    return Set.of();
  }

  @Override
  public int selectNow() {
    return 0;
  }

  @Override
  public int selectNow(Consumer<SelectionKey> action) {
    return 0;
  }

  @Override
  public int select(long timeout) {
    return 0;
  }

  @Override
  public int select() {
    return 0;
  }

  @Override
  public Selector wakeup() {
    return this;
  }

  @Override
  protected void implCloseSelector() {
    // There is nothing to give back.
  }
}
