/**
 * A backend as an example: two processes of one host that map a file. CONTRIBUTING, "How to write a
 * backend", leads through it.
 */
@NullMarked
package org.slipstream.testkit.transport.mapped;

import org.jspecify.annotations.NullMarked;
