/**
 * The public contracts of the JDK's socket APIs, call by call: programs that print what each call
 * gave, run on the stock JDK and with Slipstream, and compared line by line.
 */
@NullMarked
package org.slipstream.it.contracts;

import org.jspecify.annotations.NullMarked;
