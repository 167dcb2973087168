package org.slipstream.servers;

/**
 * One of several loads on the same servers, which becomes a row of its own.
 *
 * @param name of the servers and this load
 * @param unit of the throughput
 * @param size the amount whose times are shown by themselves; 0 if there is none
 * @param least of the servers' bytes that has to leave the kernel while this load runs
 * @param words how the client is told which load it is; empty if it has only one
 * @param operations in a turn of a test
 */
public record Step(
    String name, String unit, double size, Least least, String words, int operations) {}
