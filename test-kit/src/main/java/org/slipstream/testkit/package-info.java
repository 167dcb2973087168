/** The conformance suite, written once as face times carrier. */
@NullMarked
package org.slipstream.testkit;

import org.jspecify.annotations.NullMarked;
