/**
 * What programs may see of the core: the status of a stream. The one package of this module that
 * every module may read; the others are for the adapters and may change with each version.
 */
@NullMarked
@Stability(Stability.Level.STABLE)
package org.slipstream.core.api;

import org.jspecify.annotations.NullMarked;
import org.slipstream.transport.Stability;
