/**
 * Events for the flight recorder ({@code jdk.jfr}). Nothing here is loaded before the recorder
 * runs, so that a process that is not recorded pays nothing.
 */
@NullMarked
package org.slipstream.core.events;

import org.jspecify.annotations.NullMarked;
