/**
 * The contracts of asynchronous channels, copied from what the JDK's own do. A row of the matrix is
 * a subclass of {@link org.slipstream.testkit.asynchronous.AsynchronousConformance} that names its
 * carrier.
 */
@NullMarked
package org.slipstream.testkit.asynchronous;

import org.jspecify.annotations.NullMarked;
