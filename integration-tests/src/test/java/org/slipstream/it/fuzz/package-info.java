/**
 * Foreign bytes: what a parser is fed with when nobody can be trusted. The seeds are in {@code
 * src/test/resources/fuzz}; an input that once broke something is added there.
 */
@NullMarked
package org.slipstream.it.fuzz;

import org.jspecify.annotations.NullMarked;
