/**
 * The contract between core and backends, from the side of a test.
 *
 * <pre>
 *   TransportConformance    all contracts of one backend: a row is one subclass of a few lines
 *     EndpointContract      a process that listens is found, and no other
 *     SessionContract       frames, hostile words, one clear end
 *     WindowContract        memory, storage, budget
 *     LinkContract          when bytes and words are in the peer's memory
 *   Backend                 how a row is opened, as two processes
 *   TransportPair, TestHost the two processes, in this JVM
 *   LinkPair                both ends of a link
 *   HeapLink, HeapWindow    a link in ordinary memory, for tests of the core
 * </pre>
 */
@NullMarked
package org.slipstream.testkit.transport;

import org.jspecify.annotations.NullMarked;
