/**
 * What every test may use, from the backends' up: deadlines and seeds. The rest of this package,
 * and its description, is in the module {@code test-kit}.
 */
@NullMarked
package org.slipstream.testkit;

import org.jspecify.annotations.NullMarked;
