/** {@code slipstream memory serve}: lends memory of this host to processes of the same user. */
@NullMarked
package org.slipstream.agent.memory;

import org.jspecify.annotations.NullMarked;
