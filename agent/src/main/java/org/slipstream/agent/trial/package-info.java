/** Programs that are run without and with Slipstream, for {@code slipstream try}. */
@NullMarked
package org.slipstream.agent.trial;

import org.jspecify.annotations.NullMarked;
