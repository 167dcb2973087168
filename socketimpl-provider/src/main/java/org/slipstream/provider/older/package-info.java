/**
 * What a Java older than Slipstream needs can load, so that it gets a sentence and not a {@link
 * java.lang.LinkageError}. Compiled for Java 8, as is {@code SlipstreamSelectorProvider}, which a
 * property may name on any Java.
 *
 * <p>Not {@code @NullMarked}, because that annotation names element kinds that Java 8 does not
 * have; NullAway is told about all packages of Slipstream on its command line.
 */
package org.slipstream.provider.older;
