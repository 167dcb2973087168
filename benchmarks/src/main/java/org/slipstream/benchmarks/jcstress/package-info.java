/**
 * Stress tests of the orders on which the ring rests, under jcstress: every outcome has a name, and
 * those that would lose a wake-up, a byte or a window are forbidden. No test has more than two
 * actors: jcstress runs none that has more actors than the machine has cores.
 *
 * <pre>
 *   ./mvnw -Pmicro package
 *   java -jar benchmarks/target/jcstress.jar            all of them, thoroughly
 *   java -cp ... org.slipstream.benchmarks.jcstress.QuickRun DIRECTORY    a minute of them
 * </pre>
 */
@NullMarked
package org.slipstream.benchmarks.jcstress;

import org.jspecify.annotations.NullMarked;
