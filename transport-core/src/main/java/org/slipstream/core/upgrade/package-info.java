/**
 * The upgrade protocol as state machines: which medium a direction uses, what it has to do next,
 * and what the life of a link allows. Pure: no I/O, no clock, no stream. Each machine has a table
 * test over all states and events. {@code docs/models/upgrade.pml} has the states and actions of
 * the two switches by their names, and says of each event where it is; {@code ModelNamesTest}
 * compares.
 */
@NullMarked
package org.slipstream.core.upgrade;

import org.jspecify.annotations.NullMarked;
