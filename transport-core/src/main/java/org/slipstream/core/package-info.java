/**
 * The core: everything that is the same whatever carries the bytes. Adapters look down on it,
 * backends do not see it; both meet in {@code org.slipstream.transport}.
 */
@NullMarked
package org.slipstream.core;

import org.jspecify.annotations.NullMarked;
