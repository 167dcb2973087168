/** {@code ./slipstream demo}: an HTTP server and a client, and what happens to their stream. */
package org.slipstream.benchmarks.demo;
