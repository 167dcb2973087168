package org.slipstream.transport;

import org.jspecify.annotations.Nullable;

/**
 * The settings that a backend needs.
 *
 * @param runtimeDirectory where the processes of one user find each other; null means the default
 * @param ringBytes the size of one stream's ring, a power of two
 */
public record TransportSettings(@Nullable String runtimeDirectory, int ringBytes) {}
