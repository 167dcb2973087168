/**
 * A server of pages of a file and its clients: plain {@code java.nio} code, as servers of logs,
 * blocks and static files have it.
 *
 * <p>Nothing here knows Slipstream: the very same classes run once on the stock JDK and once with
 * the agent. A request is an offset and a length, twelve bytes; the answer is the bytes.
 */
@NullMarked
package org.slipstream.benchmarks.pages;

import org.jspecify.annotations.NullMarked;
