/** Slipstream for Vert.x, which has to be on the class path. */
@NullMarked
package org.slipstream.netty.vertx;

import org.jspecify.annotations.NullMarked;
