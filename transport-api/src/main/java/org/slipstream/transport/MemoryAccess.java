package org.slipstream.transport;

/**
 * What a peer may do with memory of this process.
 *
 * @param read whether it may be read
 * @param write whether it may be written
 * @param atomic whether its words may be changed by atomic operations
 */
public record MemoryAccess(boolean read, boolean write, boolean atomic) {}
