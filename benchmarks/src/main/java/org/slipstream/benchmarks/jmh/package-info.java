/**
 * Micro-benchmarks of the ring and its nearest neighbours, in one process and one thread: the price
 * of a copy, a publish and a look, without any wait.
 *
 * <pre>
 *   ./mvnw -Pmicro package &amp;&amp; java -jar benchmarks/target/jmh.jar
 * </pre>
 */
@NullMarked
package org.slipstream.benchmarks.jmh;

import org.jspecify.annotations.NullMarked;
