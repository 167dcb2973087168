package org.slipstream.rdma.cm;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.rdma.CTable;

/** Every number of the layouts of librdmacm, against the headers of this machine. */
class CmLayoutTest {
  @TempDir static Path directory;
  private static CTable c;

  @BeforeAll
  static void print() throws Exception {
    c = CTable.print(directory);
  }

  @Test
  void identifier() {
    c.says("sizeof rdma_cm_id", CmIdLayout.BYTES)
        .says("rdma_cm_id.verbs", CmIdLayout.VERBS)
        .says("rdma_cm_id.qp", CmIdLayout.QUEUE_PAIR)
        .says("rdma_cm_id.route.addr.src_addr", CmIdLayout.SOURCE_ADDRESS)
        .says("rdma_cm_id.route.addr.dst_addr", CmIdLayout.DESTINATION_ADDRESS)
        .says("rdma_cm_id.route.addr.addr.ibaddr.sgid", CmIdLayout.SOURCE_GID)
        .says("rdma_cm_id.route.addr.addr.ibaddr.pkey", CmIdLayout.PARTITION_KEY)
        .says("rdma_cm_id.port_num", CmIdLayout.PORT_NUMBER)
        .says("RDMA_PS_TCP", CmIdLayout.PORT_SPACE_TCP)
        .says("RDMA_OPTION_ID", CmIdLayout.OPTION_LEVEL_ID)
        .says("RDMA_OPTION_ID_TOS", CmIdLayout.OPTION_TRAFFIC_CLASS)
        .says("RDMA_OPTION_ID_ACK_TIMEOUT", CmIdLayout.OPTION_ACK_TIMEOUT);
  }

  @Test
  void event() {
    c.says("sizeof rdma_cm_event", CmEventLayout.BYTES)
        .says("rdma_cm_event.id", CmEventLayout.ID)
        .says("rdma_cm_event.listen_id", CmEventLayout.LISTENER)
        .says("rdma_cm_event.status", CmEventLayout.STATUS)
        .says("rdma_cm_event.event", CmEventLayout.TYPE)
        .says("rdma_cm_event.status", CmEventLayout.STATUS)
        .says("rdma_cm_event.param.conn.private_data", CmEventLayout.PRIVATE_DATA)
        .says("rdma_cm_event.param.conn.private_data_len", CmEventLayout.PRIVATE_DATA_LENGTH);
  }

  @Test
  void connectionParameters() {
    c.says("sizeof rdma_conn_param", CmEventLayout.PARAMETER_BYTES)
        .says("rdma_conn_param.private_data", CmEventLayout.PARAMETER_DATA)
        .says("rdma_conn_param.private_data_len", CmEventLayout.PARAMETER_DATA_LENGTH)
        .says("rdma_conn_param.responder_resources", CmEventLayout.PARAMETER_RESPONDER_RESOURCES)
        .says("rdma_conn_param.initiator_depth", CmEventLayout.PARAMETER_INITIATOR_DEPTH)
        .says("rdma_conn_param.flow_control", CmEventLayout.PARAMETER_FLOW_CONTROL)
        .says("rdma_conn_param.retry_count", CmEventLayout.PARAMETER_RETRIES)
        .says("rdma_conn_param.rnr_retry_count", CmEventLayout.PARAMETER_RNR_RETRIES)
        .says("rdma_conn_param.qp_num", CmEventLayout.PARAMETER_QUEUE_PAIR);
  }

  @Test
  void eventTypes() {
    assertThat(type("RDMA_CM_EVENT_ADDR_RESOLVED")).isEqualTo(CmEvent.Type.ADDRESS_RESOLVED);
    assertThat(type("RDMA_CM_EVENT_ADDR_ERROR")).isEqualTo(CmEvent.Type.ADDRESS_ERROR);
    assertThat(type("RDMA_CM_EVENT_ROUTE_RESOLVED")).isEqualTo(CmEvent.Type.ROUTE_RESOLVED);
    assertThat(type("RDMA_CM_EVENT_ROUTE_ERROR")).isEqualTo(CmEvent.Type.ROUTE_ERROR);
    assertThat(type("RDMA_CM_EVENT_CONNECT_REQUEST")).isEqualTo(CmEvent.Type.CONNECT_REQUEST);
    assertThat(type("RDMA_CM_EVENT_CONNECT_RESPONSE")).isEqualTo(CmEvent.Type.CONNECT_RESPONSE);
    assertThat(type("RDMA_CM_EVENT_CONNECT_ERROR")).isEqualTo(CmEvent.Type.CONNECT_ERROR);
    assertThat(type("RDMA_CM_EVENT_UNREACHABLE")).isEqualTo(CmEvent.Type.UNREACHABLE);
    assertThat(type("RDMA_CM_EVENT_REJECTED")).isEqualTo(CmEvent.Type.REJECTED);
    assertThat(type("RDMA_CM_EVENT_ESTABLISHED")).isEqualTo(CmEvent.Type.ESTABLISHED);
    assertThat(type("RDMA_CM_EVENT_DISCONNECTED")).isEqualTo(CmEvent.Type.DISCONNECTED);
    assertThat(type("RDMA_CM_EVENT_DEVICE_REMOVAL")).isEqualTo(CmEvent.Type.DEVICE_REMOVAL);
    assertThat(type("RDMA_CM_EVENT_ADDR_CHANGE")).isEqualTo(CmEvent.Type.ADDRESS_CHANGE);
    assertThat(type("RDMA_CM_EVENT_TIMEWAIT_EXIT")).isEqualTo(CmEvent.Type.TIMEWAIT_EXIT);
    assertThat(CmEvent.Type.of(-1)).isEqualTo(CmEvent.Type.UNKNOWN);
    assertThat(CmEvent.Type.of(99)).isEqualTo(CmEvent.Type.UNKNOWN);
  }

  private static CmEvent.Type type(String name) {
    return CmEvent.Type.of((int) c.value(name));
  }

  @Test
  void socketAddresses() {
    c.says("sizeof sockaddr_in6", SocketAddress.BYTES)
        .says("sockaddr_in6.sin6_family", SocketAddress.FAMILY)
        .says("sockaddr_in6.sin6_port", SocketAddress.PORT)
        .says("sockaddr_in6.sin6_addr", SocketAddress.ADDRESS6)
        .says("sockaddr_in6.sin6_scope_id", SocketAddress.SCOPE6)
        .says("sockaddr_in.sin_addr", SocketAddress.ADDRESS4)
        .says("AF_INET", SocketAddress.FAMILY_4)
        .says("AF_INET6", SocketAddress.FAMILY_6);
  }
}
