/**
 * What a program may rely on, whatever carries its bytes; each subject is one abstract class of
 * tests, and {@link org.slipstream.testkit.conformance.NioConformance} holds them all.
 *
 * <p>The tests say what the stock JDK does on Linux, and where it promises less than it does, only
 * what it promises: how many bytes one call moves is not promised. Results, exception types,
 * blocking and readiness are.
 *
 * <p>Both ends of a stream are in this JVM. Each test runs on a thread of its own under a time
 * limit.
 */
@NullMarked
package org.slipstream.testkit.conformance;

import org.jspecify.annotations.NullMarked;
