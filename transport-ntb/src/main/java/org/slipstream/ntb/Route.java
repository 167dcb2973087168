package org.slipstream.ntb;

/**
 * A way to a node.
 *
 * @param node its node id
 * @param via our adapter's number, or the path of a file that both nodes map
 */
record Route(int node, String via) {

  /** Whether it is a file and not an adapter. */
  boolean isFile() {
    return via.startsWith("/");
  }

  int adapter() {
    return Integer.parseInt(via);
  }

  @Override
  public String toString() {
    return node + "@" + via;
  }
}
