package org.slipstream.ntb.sisci;

import java.util.function.ToIntFunction;

/**
 * Flags and query codes, read from the library that is used: for most of them no number is public,
 * and those that are may differ between versions.
 *
 * @param dmaSourceOnly PrepareSegment: it is never mapped
 * @param privateSegment CreateSegment: no id
 * @param forceRemove RemoveSegment: even if others are connected
 * @param forceDisconnect SetSegmentUnavailable: tears connections down
 * @param noFlush CheckSequence: without its own flush
 * @param flushCpuOnly Flush: drain the write-combining buffers of the processor, nothing else
 * @param blockRead MemCpy: from the remote segment
 * @param errorCheck MemCpy: fail if bytes did not arrive
 * @param infinite no time limit, in milliseconds
 * @param queryApi Query: version text
 * @param queryAdapter Query: about an adapter
 * @param adapterNodeId its node id
 * @param adapterLinkOperational whether its link is up
 */
public record SisciConstants(
    int dmaSourceOnly,
    int privateSegment,
    int forceRemove,
    int forceDisconnect,
    int noFlush,
    int flushCpuOnly,
    int blockRead,
    int errorCheck,
    int infinite,
    int queryApi,
    int queryAdapter,
    int adapterNodeId,
    int adapterLinkOperational) {

  static SisciConstants read(ToIntFunction<String> constant) {
    return new SisciConstants(
        constant.applyAsInt("SCI_FLAG_DMA_SOURCE_ONLY"),
        constant.applyAsInt("SCI_FLAG_PRIVATE"),
        constant.applyAsInt("SCI_FLAG_FORCE_REMOVE"),
        constant.applyAsInt("SCI_FLAG_FORCE_DISCONNECT"),
        constant.applyAsInt("SCI_FLAG_NO_FLUSH"),
        constant.applyAsInt("SCI_FLAG_FLUSH_CPU_BUFFERS_ONLY"),
        constant.applyAsInt("SCI_FLAG_BLOCK_READ"),
        constant.applyAsInt("SCI_FLAG_ERROR_CHECK"),
        constant.applyAsInt("SCI_INFINITE_TIMEOUT"),
        constant.applyAsInt("SCI_Q_API"),
        constant.applyAsInt("SCI_Q_ADAPTER"),
        constant.applyAsInt("SCI_Q_ADAPTER_NODEID"),
        constant.applyAsInt("SCI_Q_ADAPTER_LINK_OPERATIONAL"));
  }
}
