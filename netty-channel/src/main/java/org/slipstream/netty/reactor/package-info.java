/** Slipstream for Reactor Netty, which has to be on the class path. */
@NullMarked
@Stability(Stability.Level.EVOLVING)
package org.slipstream.netty.reactor;

import org.jspecify.annotations.NullMarked;
import org.slipstream.transport.Stability;
