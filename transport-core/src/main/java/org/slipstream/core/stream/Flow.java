package org.slipstream.core.stream;

/**
 * What one direction of a stream is doing.
 *
 * @param onRing whether it travels in the ring now
 * @param ringBytes bytes that travelled in the ring
 * @param plainBytes bytes that travelled on the anchor
 * @param messages calls that moved bytes
 * @param ringUsed bytes in the ring that the reader has not taken out
 * @param ringSize bytes that fit; 0 without a link
 * @param spins waits that ended while looking
 * @param wakeUps waits that ended a sleep
 */
public record Flow(
    boolean onRing,
    long ringBytes,
    long plainBytes,
    long messages,
    int ringUsed,
    int ringSize,
    long spins,
    long wakeUps) {}
