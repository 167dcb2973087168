package org.slipstream.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.rdma.CTable;

/** Every number of the layouts of libibverbs, against the headers of this machine. */
class VerbsLayoutTest {
  @TempDir static Path directory;
  private static CTable c;

  /** Of no structure of C: what we put behind a request. */
  private static final Set<String> OURS =
      Set.of("SendWorkRequestLayout.GATHER", "SendWorkRequestLayout.BYTES_WITH_GATHER");

  @BeforeAll
  static void print() throws Exception {
    c = CTable.print(directory);
  }

  @Test
  void sendWorkRequest() {
    c.says("sizeof ibv_send_wr", SendWorkRequestLayout.BYTES)
        .says("ibv_send_wr.wr_id", SendWorkRequestLayout.ID)
        .says("ibv_send_wr.next", SendWorkRequestLayout.NEXT)
        .says("ibv_send_wr.sg_list", SendWorkRequestLayout.GATHER_LIST)
        .says("ibv_send_wr.num_sge", SendWorkRequestLayout.GATHER_COUNT)
        .says("ibv_send_wr.opcode", SendWorkRequestLayout.OPCODE)
        .says("ibv_send_wr.send_flags", SendWorkRequestLayout.FLAGS)
        .says("ibv_send_wr.imm_data", SendWorkRequestLayout.IMMEDIATE)
        .says("ibv_send_wr.wr.rdma.remote_addr", SendWorkRequestLayout.REMOTE_ADDRESS)
        .says("ibv_send_wr.wr.rdma.rkey", SendWorkRequestLayout.REMOTE_KEY)
        .says("IBV_WR_RDMA_WRITE", SendWorkRequestLayout.OPCODE_RDMA_WRITE)
        .says("IBV_WR_SEND", SendWorkRequestLayout.OPCODE_SEND)
        .says("IBV_WR_RDMA_READ", SendWorkRequestLayout.OPCODE_RDMA_READ)
        .says("ibv_send_wr.wr.atomic.compare_add", SendWorkRequestLayout.COMPARE_OR_ADD)
        .says("ibv_send_wr.wr.atomic.swap", SendWorkRequestLayout.SWAP)
        .says("ibv_send_wr.wr.atomic.rkey", SendWorkRequestLayout.ATOMIC_KEY)
        .says("IBV_WR_ATOMIC_CMP_AND_SWP", SendWorkRequestLayout.OPCODE_COMPARE_AND_SWAP)
        .says("IBV_WR_ATOMIC_FETCH_AND_ADD", SendWorkRequestLayout.OPCODE_FETCH_AND_ADD)
        .says("IBV_SEND_FENCE", SendWorkRequestLayout.FLAG_FENCE)
        .says("IBV_SEND_SIGNALED", SendWorkRequestLayout.FLAG_SIGNALED)
        .says("IBV_SEND_INLINE", SendWorkRequestLayout.FLAG_INLINE);
  }

  @Test
  void gatherEntry() {
    c.says("sizeof ibv_sge", GatherLayout.BYTES)
        .says("ibv_sge.addr", GatherLayout.ADDRESS)
        .says("ibv_sge.length", GatherLayout.LENGTH)
        .says("ibv_sge.lkey", GatherLayout.LOCAL_KEY);
  }

  @Test
  void receiveWorkRequest() {
    c.says("sizeof ibv_recv_wr", ReceiveWorkRequestLayout.BYTES)
        .says("ibv_recv_wr.wr_id", ReceiveWorkRequestLayout.ID)
        .says("ibv_recv_wr.next", ReceiveWorkRequestLayout.NEXT)
        .says("ibv_recv_wr.sg_list", ReceiveWorkRequestLayout.SCATTER_LIST)
        .says("ibv_recv_wr.num_sge", ReceiveWorkRequestLayout.SCATTER_COUNT);
  }

  @Test
  void workCompletion() {
    c.says("sizeof ibv_wc", WorkCompletionLayout.BYTES)
        .says("ibv_wc.wr_id", WorkCompletionLayout.ID)
        .says("ibv_wc.status", WorkCompletionLayout.STATUS)
        .says("ibv_wc.opcode", WorkCompletionLayout.OPCODE)
        .says("ibv_wc.byte_len", WorkCompletionLayout.LENGTH)
        .says("ibv_wc.imm_data", WorkCompletionLayout.IMMEDIATE)
        .says("ibv_wc.wc_flags", WorkCompletionLayout.FLAGS)
        .says("IBV_WC_REM_INV_REQ_ERR", WorkCompletionLayout.STATUS_REMOTE_INVALID_REQUEST)
        .says("IBV_WC_REM_ACCESS_ERR", WorkCompletionLayout.STATUS_REMOTE_ACCESS)
        .says("IBV_WC_SUCCESS", WorkCompletionLayout.STATUS_SUCCESS);
  }

  @Test
  void queuePair() {
    c.says("sizeof ibv_qp_init_attr", QueuePairLayout.INIT_BYTES)
        .says("ibv_qp_init_attr.send_cq", QueuePairLayout.INIT_SEND_QUEUE)
        .says("ibv_qp_init_attr.recv_cq", QueuePairLayout.INIT_RECEIVE_QUEUE)
        .says("ibv_qp_init_attr.cap.max_send_wr", QueuePairLayout.INIT_MAX_SEND)
        .says("ibv_qp_init_attr.cap.max_recv_wr", QueuePairLayout.INIT_MAX_RECEIVE)
        .says("ibv_qp_init_attr.cap.max_send_sge", QueuePairLayout.INIT_MAX_SEND_GATHER)
        .says("ibv_qp_init_attr.cap.max_recv_sge", QueuePairLayout.INIT_MAX_RECEIVE_SCATTER)
        .says("ibv_qp_init_attr.cap.max_inline_data", QueuePairLayout.INIT_MAX_INLINE)
        .says("ibv_qp_init_attr.qp_type", QueuePairLayout.INIT_TYPE)
        .says("IBV_QPT_RC", QueuePairLayout.TYPE_RELIABLE_CONNECTED)
        .says("sizeof ibv_qp", QueuePairLayout.BYTES)
        .says("ibv_qp.qp_num", QueuePairLayout.NUMBER)
        .says("sizeof ibv_qp_attr", QueuePairLayout.ATTRIBUTES_BYTES)
        .says("ibv_qp_attr.qp_state", QueuePairLayout.ATTRIBUTES_STATE)
        .says("ibv_qp_attr.path_mtu", QueuePairLayout.ATTRIBUTES_PATH_MTU)
        .says("IBV_MTU_4096", QueuePairLayout.MTU_4096)
        .says("IBV_QPS_INIT", QueuePairLayout.STATE_INITIALISED)
        .says("IBV_QPS_RTR", QueuePairLayout.STATE_READY_TO_RECEIVE)
        .says("IBV_QPS_RTS", QueuePairLayout.STATE_READY_TO_SEND);
  }

  @Test
  void context() {
    c.says("sizeof ibv_context", ContextLayout.BYTES)
        .says("ibv_context.device", ContextLayout.DEVICE)
        .says("ibv_device.transport_type", ContextLayout.DEVICE_TRANSPORT)
        .says("IBV_TRANSPORT_IWARP", ContextLayout.TRANSPORT_IWARP)
        .says("ibv_context.ops.poll_cq", ContextLayout.POLL)
        .says("ibv_context.ops.req_notify_cq", ContextLayout.REQUEST_NOTIFY)
        .says("ibv_context.ops.post_send", ContextLayout.POST_SEND)
        .says("ibv_context.ops.post_recv", ContextLayout.POST_RECEIVE)
        .says("ibv_context.cmd_fd", ContextLayout.COMMAND_DESCRIPTOR)
        .says("ibv_context.async_fd", ContextLayout.ASYNC_DESCRIPTOR);
  }

  @Test
  void asyncEvent() {
    c.says("sizeof ibv_async_event", AsyncEventLayout.BYTES)
        .says("ibv_async_event.element.port_num", AsyncEventLayout.ELEMENT)
        .says("ibv_async_event.event_type", AsyncEventLayout.TYPE)
        .says("IBV_EVENT_PORT_ACTIVE", DeviceEvent.Type.PORT_ACTIVE.number)
        .says("IBV_EVENT_PORT_ERR", DeviceEvent.Type.PORT_ERROR.number)
        .says("IBV_EVENT_GID_CHANGE", DeviceEvent.Type.ADDRESS_CHANGE.number)
        .says("IBV_EVENT_DEVICE_FATAL", DeviceEvent.Type.DEVICE_FATAL.number)
        .says("O_CLOEXEC", HeldDevice.CLOSE_ON_EXEC);
  }

  @Test
  void memoryRegionAndChannel() {
    c.says("sizeof ibv_mr", MemoryRegionLayout.BYTES)
        .says("ibv_mr.lkey", MemoryRegionLayout.LOCAL_KEY)
        .says("ibv_mr.rkey", MemoryRegionLayout.REMOTE_KEY)
        .says("IBV_ACCESS_LOCAL_WRITE", MemoryRegionLayout.ACCESS_LOCAL_WRITE)
        .says("IBV_ACCESS_REMOTE_WRITE", MemoryRegionLayout.ACCESS_REMOTE_WRITE)
        .says("IBV_ACCESS_REMOTE_READ", MemoryRegionLayout.ACCESS_REMOTE_READ)
        .says("IBV_ACCESS_REMOTE_ATOMIC", MemoryRegionLayout.ACCESS_REMOTE_ATOMIC)
        .says("sizeof ibv_comp_channel", MemoryRegionLayout.CHANNEL_BYTES)
        .says("ibv_comp_channel.fd", MemoryRegionLayout.CHANNEL_DESCRIPTOR);
  }

  @Test
  void deviceLimits() {
    c.says("sizeof ibv_device_attr", DeviceLimitsLayout.BYTES)
        .says("ibv_device_attr.max_qp_rd_atom", DeviceLimitsLayout.READS_ANSWERED)
        .says("ibv_device_attr.max_qp_init_rd_atom", DeviceLimitsLayout.READS_ASKED)
        .says("ibv_device_attr.atomic_cap", DeviceLimitsLayout.ATOMICS)
        .says("IBV_ATOMIC_NONE", DeviceLimitsLayout.NO_ATOMICS);
  }

  /** The kernel says more than the header knows; what the header knows must be left. */
  @Test
  void attributesThatOnlyTheKernelKnows() {
    assertThat(c.value("IBV_QP_ all") & QueuePairLayout.MASK_OF_KERNEL).isZero();
  }

  @Test
  void whatWePutBehindARequest() {
    assertThat(ReceiveWorkRequestLayout.SCATTER).isEqualTo(ReceiveWorkRequestLayout.BYTES);
    assertThat(ReceiveWorkRequestLayout.BYTES_WITH_SCATTER)
        .isEqualTo(ReceiveWorkRequestLayout.SCATTER + GatherLayout.BYTES);
    assertThat(ContextLayout.DEVICE_BYTES)
        .isEqualTo(ContextLayout.DEVICE_TRANSPORT + Integer.BYTES)
        .isLessThanOrEqualTo((int) c.value("sizeof ibv_device"));
  }

  @Test
  void errorNumbers() throws Exception {
    Field[] numbers = ErrorNumbers.class.getFields();
    assertThat(numbers).hasSizeGreaterThan(10);
    for (Field each : numbers) {
      c.says(each.getName(), each.getInt(null));
    }
  }

  @Test
  void descriptors() {
    c.says("F_GETFL", Poller.GET_FLAGS)
        .says("F_SETFL", Poller.SET_FLAGS)
        .says("O_NONBLOCK", Poller.NONBLOCKING);
  }

  /** A number that is not compared would be believed. Of both packages. */
  @Test
  void everyNumberIsCompared() throws Exception {
    Path tests = Path.of("src/test/java/org/slipstream/rdma");
    String compared =
        Files.readString(tests.resolve("verbs/VerbsLayoutTest.java"))
            + Files.readString(tests.resolve("cm/CmLayoutTest.java"));
    Pattern constant = Pattern.compile("static final (?:int|short|long) ([A-Z0-9_]+)");
    int found = 0;
    for (Path file : layouts()) {
      String name = file.getFileName().toString().replace(".java", "");
      Matcher each = constant.matcher(Files.readString(file));
      while (each.find()) {
        String wanted = name + "." + each.group(1);
        found++;
        if (!OURS.contains(wanted)) {
          assertThat(compared).as(wanted).containsPattern(wanted.replace(".", "\\.") + "\\b");
        }
      }
    }
    assertThat(found).isGreaterThan(80);
  }

  private static List<Path> layouts() throws IOException {
    Path sources = Path.of("src/main/java/org/slipstream/rdma");
    try (Stream<Path> all = Files.walk(sources)) {
      return all.filter(p -> !p.getParent().equals(sources))
          .filter(p -> p.toString().matches(".*(Layout|SocketAddress)\\.java"))
          .toList();
    }
  }

  @Test
  void poll() {
    c.says("sizeof pollfd", Poller.ENTRY_BYTES)
        .says("pollfd.events", Poller.ENTRY_EVENTS)
        .says("pollfd.revents", Poller.ENTRY_RETURNED)
        .says("POLLIN", Poller.READABLE)
        .says("EFD_NONBLOCK | EFD_CLOEXEC", Poller.NONBLOCKING_CLOSE_ON_EXEC);
  }
}
