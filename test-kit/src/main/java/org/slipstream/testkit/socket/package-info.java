/**
 * The contracts of {@code java.net.Socket} and {@code ServerSocket}, copied from what the JDK's own
 * do. A row of the matrix is a subclass of {@link org.slipstream.testkit.socket.SocketConformance}
 * that names its carrier.
 */
@NullMarked
package org.slipstream.testkit.socket;

import org.jspecify.annotations.NullMarked;
