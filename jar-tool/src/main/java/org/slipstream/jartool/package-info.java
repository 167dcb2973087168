/**
 * A step of the build: what a JVM would link when the program first gets there becomes classes and
 * methods of slipstream.jar.
 *
 * <pre>
 *   PrelinkJar -- Prelinker -+- LambdaClass ---- Conversion
 *     (files)   (a class)    +- RecordMethods
 * </pre>
 */
@NullMarked
package org.slipstream.jartool;

import org.jspecify.annotations.NullMarked;
