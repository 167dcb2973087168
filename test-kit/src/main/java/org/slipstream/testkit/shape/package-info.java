/**
 * Contracts that hold for every API of a stream alike, written once: {@code Socket}, {@code
 * SocketChannel} and {@code AsynchronousSocketChannel} differ in {@link
 * org.slipstream.testkit.shape.Shape} only.
 */
@NullMarked
package org.slipstream.testkit.shape;

import org.jspecify.annotations.NullMarked;
