/**
 * Fuzzers of parsers of foreign bytes, for tests. A fuzzer runs by time, begins with a corpus that
 * people can read, and keeps what led somewhere new.
 *
 * <pre>
 *   FuzzTest   marks a test method that is one
 *   Fuzzer     what is expected; runs
 *   Target     the parser, called by the test
 *   Trace      what the parser did with one input
 *        |
 *   Corpus     fuzz/NAME.hex or fuzz/NAME.txt: inputs that must be accepted, or refused
 *   Mutator    makes new inputs of old ones
 *   Shrinker   makes a failing input short
 * </pre>
 *
 * <p>Nothing here knows Slipstream, so every module may use it for its tests.
 */
@NullMarked
package org.slipstream.fuzz;

import org.jspecify.annotations.NullMarked;
