/** Slipstream for Reactor Netty, which has to be on the class path. */
@NullMarked
package org.slipstream.netty.reactor;

import org.jspecify.annotations.NullMarked;
