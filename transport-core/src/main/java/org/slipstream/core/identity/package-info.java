/**
 * Which TCP connection of the kernel a stream is, whatever its addresses look like at either end:
 * by the number with which its first segment began.
 */
@NullMarked
package org.slipstream.core.identity;

import org.jspecify.annotations.NullMarked;
