/** What a process tells about itself. */
@NullMarked
package org.slipstream.core.status;

import org.jspecify.annotations.NullMarked;
