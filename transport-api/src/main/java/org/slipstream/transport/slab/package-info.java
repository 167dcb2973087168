/**
 * Bookkeeping that every backend needs which cuts its memory into windows: a slab is memory of one
 * session, in slots of a control block and a ring each. Knows no medium: where the memory comes
 * from, how it gets storage and how it is given back is the backend's.
 *
 * <pre>
 *   SlabLayout     where the slots lie, and whether a peer's numbers can be a slab
 *   SlotName       how a window is named to the peer
 *   SlotWindow     a slot as a Window
 *   Slots          which of them are free; of our own windows
 *     Uses         memory that outlives its session until its last user is gone; of any memory
 *   CoherentLink   two windows as a Link, where both processes map the same memory
 *   Reservation    what a slab has taken out of the budget
 * </pre>
 */
@NullMarked
@Stability(Stability.Level.EVOLVING)
package org.slipstream.transport.slab;

import org.jspecify.annotations.NullMarked;
import org.slipstream.transport.Stability;
