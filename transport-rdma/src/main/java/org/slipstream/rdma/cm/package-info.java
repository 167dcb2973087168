/** librdmacm, by the FFM API: how two processes make a queue pair. */
@org.jspecify.annotations.NullMarked
package org.slipstream.rdma.cm;
