package org.slipstream.transport;

import org.jspecify.annotations.Nullable;

/**
 * The settings that a backend needs.
 *
 * @param runtimeDirectory where the processes of one user find each other; null means the default
 * @param ringBytes the size of one stream's ring, a power of two
 * @param firstRingBytes that of the first few streams of the process, at least as much: for media
 *     where only the part of a ring that is used takes memory; and half of it for the first stream
 *     of a few sessions, where memory is there from the start
 */
public record TransportSettings(
    @Nullable String runtimeDirectory, int ringBytes, int firstRingBytes) {

  /**
   * The rings of all streams have one size.
   *
   * @param runtimeDirectory where the processes of one user find each other; null means the default
   * @param ringBytes the size of one stream's ring, a power of two
   */
  public TransportSettings(@Nullable String runtimeDirectory, int ringBytes) {
    this(runtimeDirectory, ringBytes, ringBytes);
  }
}
