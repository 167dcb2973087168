/** Which streams may be accelerated: the rules, their grammar, and the file that holds them. */
@NullMarked
package org.slipstream.core.rules;

import org.jspecify.annotations.NullMarked;
