/** The rows of the conformance matrix: one class for each adapter and carrier. */
@NullMarked
package org.slipstream.it.conformance;

import org.jspecify.annotations.NullMarked;
