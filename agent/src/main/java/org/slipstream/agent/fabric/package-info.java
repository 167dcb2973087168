/** {@code slipstream fabric}: a check between two hosts, over the product's own streams. */
@NullMarked
package org.slipstream.agent.fabric;

import org.jspecify.annotations.NullMarked;
