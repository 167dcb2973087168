package org.slipstream.testkit;

/**
 * A row of the matrix: contracts, nested in it, over one carrier.
 *
 * <pre>{@code
 * final class StockRow extends Row {
 *   @Override
 *   protected Carrier carrier() {
 *     return CARRIER;
 *   }
 *
 *   @Nested
 *   class Connecting extends ConnectContract {}
 * }
 * }</pre>
 */
public abstract class Row {

  /** Nothing is opened yet. */
  protected Row() {}

  /** What carries the bytes in this row; the same for all tests. */
  protected abstract Carrier carrier();
}
