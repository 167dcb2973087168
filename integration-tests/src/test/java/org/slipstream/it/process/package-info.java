/**
 * Tests that start real JVMs, because what they ask about exists between processes only: who dies
 * first, what is left behind, and who else may be at the other end of a TCP connection.
 *
 * <p>{@code PeerProgram} and the classes that begin with {@code Peer} but {@link
 * org.slipstream.it.process.Peer} itself run in the children and know nothing of Slipstream.
 */
@NullMarked
package org.slipstream.it.process;

import org.jspecify.annotations.NullMarked;
