package org.slipstream.rdma.verbs;

/**
 * What a device can do at once on one queue pair.
 *
 * @param readsAnswered reads and atomic operations of the peer under way
 * @param readsAsked reads and atomic operations of ours under way
 * @param atomics whether it has atomic operations
 */
public record DeviceLimits(int readsAnswered, int readsAsked, boolean atomics) {}
