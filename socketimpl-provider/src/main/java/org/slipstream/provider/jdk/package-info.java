/**
 * Compiled against what the JDK keeps to itself, and loaded where its packages are opened: by the
 * agent's gate ({@link org.slipstream.provider.nio.JdkAccess}). No class names these, and each is
 * one class: what it names is loaded as for all others.
 */
@NullMarked
package org.slipstream.provider.jdk;

import org.jspecify.annotations.NullMarked;
