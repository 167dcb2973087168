package org.slipstream.rdma.verbs;

/**
 * The sizes of a queue pair.
 *
 * @param sends requests in the send queue
 * @param receives requests in the receive queue
 * @param inlineBytes what a request may carry itself, instead of naming registered memory
 */
public record Capacity(int sends, int receives, int inlineBytes) {}
