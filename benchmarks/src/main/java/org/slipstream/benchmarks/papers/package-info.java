/** The experiments of the papers behind this project, and which commands repeat them. */
@NullMarked
package org.slipstream.benchmarks.papers;

import org.jspecify.annotations.NullMarked;
