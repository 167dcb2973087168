/**
 * Runs unmodified servers in processes of their own, with Slipstream and without, and compares.
 * Needs nothing but the JDK, so that it fits on every server's class path.
 */
@NullMarked
package org.slipstream.servers;

import org.jspecify.annotations.NullMarked;
