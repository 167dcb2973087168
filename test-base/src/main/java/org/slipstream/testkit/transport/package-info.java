/**
 * The contract between core and backends, from the side of a test: a {@linkplain
 * org.slipstream.testkit.transport.HeapLink link in ordinary memory} for tests of the core.
 */
@NullMarked
package org.slipstream.testkit.transport;

import org.jspecify.annotations.NullMarked;
