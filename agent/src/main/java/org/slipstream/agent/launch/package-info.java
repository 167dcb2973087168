/**
 * Where the JVM enters slipstream.jar: as an agent, and as a command. These classes are compiled
 * for Java 8, so that an older Java gets a sentence from them and not a {@link
 * java.lang.LinkageError}: they refer to nothing of Slipstream that is not, and reach the rest by
 * reflection once the version is known.
 *
 * <p>Not {@code @NullMarked}, because that annotation names element kinds that Java 8 does not
 * have; NullAway is told about all packages of Slipstream on its command line.
 */
package org.slipstream.agent.launch;
