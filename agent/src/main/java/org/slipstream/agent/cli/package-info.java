/** The command-line tools in the jar. */
@NullMarked
package org.slipstream.agent.cli;

import org.jspecify.annotations.NullMarked;
