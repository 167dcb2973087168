/**
 * A transport that misbehaves within its contract, around one that works: stores arrive late, the
 * doorbell before the bytes, windows are small and can not grow, and links are cut.
 */
@NullMarked
package org.slipstream.testkit.fault;

import org.jspecify.annotations.NullMarked;
