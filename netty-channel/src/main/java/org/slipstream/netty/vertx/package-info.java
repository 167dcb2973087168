/** Slipstream for Vert.x, which has to be on the class path. */
@NullMarked
@Stability(Stability.Level.EVOLVING)
package org.slipstream.netty.vertx;

import org.jspecify.annotations.NullMarked;
import org.slipstream.transport.Stability;
