/**
 * The measuring programs over Netty: one event loop in each process, the same handlers over every
 * transport. They run with Netty and the Netty adapter on the class path; the core comes with the
 * agent, as it does for a user.
 */
@NullMarked
package org.slipstream.benchmarks.netty;

import org.jspecify.annotations.NullMarked;
