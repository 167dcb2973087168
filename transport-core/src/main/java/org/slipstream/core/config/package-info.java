/** The settings: one immutable record, read once. */
@NullMarked
package org.slipstream.core.config;

import org.jspecify.annotations.NullMarked;
