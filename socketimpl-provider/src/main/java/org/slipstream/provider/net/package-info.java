/**
 * {@code java.net.Socket} and {@code ServerSocket}: translators over the same streams as the
 * channels. What differs from them is here: interrupts, timeouts, messages of exceptions.
 */
@NullMarked
@Stability(Stability.Level.INTERNAL)
package org.slipstream.provider.net;

import org.jspecify.annotations.NullMarked;
import org.slipstream.transport.Stability;
