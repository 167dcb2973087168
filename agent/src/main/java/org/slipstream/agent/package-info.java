/** Switches Slipstream on in an unmodified program, before its main method runs. */
@NullMarked
package org.slipstream.agent;

import org.jspecify.annotations.NullMarked;
