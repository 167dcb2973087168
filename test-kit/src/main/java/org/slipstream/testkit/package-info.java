/**
 * A library of tests for any transport of a byte stream.
 *
 * <p>A test of this library is written once and runs as <em>adapter × carrier</em>: the adapter is
 * the API that a program sees (here {@code java.nio.channels}), the {@link
 * org.slipstream.testkit.Carrier} is what moves the bytes. The first row is always the stock JDK: a
 * test that fails there is wrong.
 *
 * <pre>
 *   conformance.*Contract     what a program may rely on, one class per subject
 *   conformance.NioConformance   all of them as nested classes: a row is one subclass of ten lines
 *        |
 *   Network                   connected pairs, listeners, selectors; closed after each test
 *   Background                a call that is expected to block, on a platform or a virtual thread
 *   Bytes, Tape               moving bytes; an endless tape of bytes that finds the first wrong one
 *        |
 *   Carrier                   stock | plain | shm | faulty
 * </pre>
 *
 * <p>Nothing here is for production and nothing in the product depends on it.
 */
@NullMarked
package org.slipstream.testkit;

import org.jspecify.annotations.NullMarked;
