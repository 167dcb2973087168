/**
 * Waiting: spin while that pays, and know when it does not. Nothing here sleeps; a caller whose
 * spin misses arms, looks again, and sleeps in the package that owns the wait.
 */
@NullMarked
package org.slipstream.core.wait;

import org.jspecify.annotations.NullMarked;
