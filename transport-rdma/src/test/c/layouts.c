/* Prints what the installed headers say: one "name value" a line. Compared with the ...Layout classes by LayoutTest. */
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <netinet/in.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/eventfd.h>

#define SIZE(type) printf("sizeof %s %zu\n", #type, sizeof(struct type))
#define OFFSET(type, field) printf("%s.%s %zu\n", #type, #field, offsetof(struct type, field))
#define VALUE(name) printf("%s %lld\n", #name, (long long)(name))

int main(void) {
  SIZE(ibv_send_wr); OFFSET(ibv_send_wr, wr_id); OFFSET(ibv_send_wr, next); OFFSET(ibv_send_wr, sg_list);
  OFFSET(ibv_send_wr, num_sge); OFFSET(ibv_send_wr, opcode); OFFSET(ibv_send_wr, send_flags); OFFSET(ibv_send_wr, imm_data);
  OFFSET(ibv_send_wr, wr.rdma.remote_addr); OFFSET(ibv_send_wr, wr.rdma.rkey);
  OFFSET(ibv_send_wr, wr.atomic.compare_add); OFFSET(ibv_send_wr, wr.atomic.swap); OFFSET(ibv_send_wr, wr.atomic.rkey);
  SIZE(ibv_device_attr); OFFSET(ibv_device_attr, max_qp_rd_atom); OFFSET(ibv_device_attr, max_qp_init_rd_atom);
  OFFSET(ibv_device_attr, atomic_cap); VALUE(IBV_ATOMIC_NONE); VALUE(IBV_WR_ATOMIC_CMP_AND_SWP); VALUE(IBV_WR_ATOMIC_FETCH_AND_ADD);
  VALUE(IBV_SEND_FENCE); VALUE(IBV_WC_REM_INV_REQ_ERR); VALUE(IBV_ACCESS_REMOTE_ATOMIC);
  SIZE(ibv_sge); OFFSET(ibv_sge, addr); OFFSET(ibv_sge, length); OFFSET(ibv_sge, lkey);
  SIZE(ibv_recv_wr); OFFSET(ibv_recv_wr, wr_id); OFFSET(ibv_recv_wr, next); OFFSET(ibv_recv_wr, sg_list); OFFSET(ibv_recv_wr, num_sge);
  SIZE(ibv_wc); OFFSET(ibv_wc, wr_id); OFFSET(ibv_wc, status); OFFSET(ibv_wc, opcode); OFFSET(ibv_wc, byte_len);
  OFFSET(ibv_wc, imm_data); OFFSET(ibv_wc, wc_flags);
  SIZE(ibv_qp_init_attr); OFFSET(ibv_qp_init_attr, send_cq); OFFSET(ibv_qp_init_attr, recv_cq); OFFSET(ibv_qp_init_attr, cap.max_send_wr);
  OFFSET(ibv_qp_init_attr, cap.max_recv_wr); OFFSET(ibv_qp_init_attr, cap.max_send_sge); OFFSET(ibv_qp_init_attr, cap.max_recv_sge);
  OFFSET(ibv_qp_init_attr, cap.max_inline_data); OFFSET(ibv_qp_init_attr, qp_type); OFFSET(ibv_qp_init_attr, sq_sig_all);
  SIZE(ibv_qp); OFFSET(ibv_qp, qp_num); SIZE(ibv_qp_attr); OFFSET(ibv_qp_attr, qp_state);
  OFFSET(ibv_qp_attr, path_mtu); VALUE(IBV_MTU_4096); VALUE(IBV_QPS_INIT); VALUE(IBV_QPS_RTR); VALUE(IBV_QPS_RTS);
  OFFSET(ibv_device, transport_type); VALUE(IBV_TRANSPORT_IWARP);
  SIZE(ibv_context); OFFSET(ibv_context, device); OFFSET(ibv_context, ops.poll_cq); OFFSET(ibv_context, ops.req_notify_cq);
  OFFSET(ibv_context, ops.post_send); OFFSET(ibv_context, ops.post_recv);
  OFFSET(ibv_context, cmd_fd); OFFSET(ibv_context, async_fd); SIZE(ibv_async_event); OFFSET(ibv_async_event, element.port_num);
  OFFSET(ibv_async_event, event_type); VALUE(IBV_EVENT_PORT_ACTIVE); VALUE(IBV_EVENT_PORT_ERR); VALUE(IBV_EVENT_GID_CHANGE);
  VALUE(IBV_EVENT_DEVICE_FATAL); VALUE(O_CLOEXEC);
  SIZE(ibv_mr); OFFSET(ibv_mr, lkey); OFFSET(ibv_mr, rkey); SIZE(ibv_comp_channel); OFFSET(ibv_comp_channel, fd);
  SIZE(rdma_cm_id); OFFSET(rdma_cm_id, verbs); OFFSET(rdma_cm_id, qp); OFFSET(rdma_cm_id, route.addr.src_addr);
  OFFSET(rdma_cm_id, route.addr.dst_addr);
  OFFSET(rdma_cm_id, route.addr.dst_addr); OFFSET(rdma_cm_id, port_num);
  OFFSET(rdma_cm_id, route.addr.addr.ibaddr.sgid); OFFSET(rdma_cm_id, route.addr.addr.ibaddr.pkey);
  SIZE(rdma_cm_event); OFFSET(rdma_cm_event, id); OFFSET(rdma_cm_event, listen_id); OFFSET(rdma_cm_event, event);
  OFFSET(rdma_cm_event, status); OFFSET(rdma_cm_event, param.conn.private_data); OFFSET(rdma_cm_event, param.conn.private_data_len);
  SIZE(rdma_conn_param); OFFSET(rdma_conn_param, private_data); OFFSET(rdma_conn_param, private_data_len);
  OFFSET(rdma_conn_param, responder_resources); OFFSET(rdma_conn_param, initiator_depth); OFFSET(rdma_conn_param, flow_control);
  OFFSET(rdma_conn_param, retry_count); OFFSET(rdma_conn_param, rnr_retry_count); OFFSET(rdma_conn_param, qp_num);
  SIZE(rdma_event_channel); OFFSET(rdma_event_channel, fd);
  SIZE(sockaddr_in6); OFFSET(sockaddr_in6, sin6_family); OFFSET(sockaddr_in6, sin6_port); OFFSET(sockaddr_in6, sin6_addr);
  OFFSET(sockaddr_in6, sin6_scope_id); OFFSET(sockaddr_in, sin_addr);
  SIZE(pollfd); OFFSET(pollfd, events); OFFSET(pollfd, revents);
  VALUE(IBV_WR_RDMA_WRITE); VALUE(IBV_WR_RDMA_WRITE_WITH_IMM); VALUE(IBV_WR_SEND); VALUE(IBV_WR_RDMA_READ);
  VALUE(IBV_SEND_SIGNALED); VALUE(IBV_SEND_INLINE); VALUE(IBV_WC_SUCCESS); VALUE(IBV_WC_WR_FLUSH_ERR);
  VALUE(IBV_WC_REM_ACCESS_ERR); VALUE(IBV_WC_RETRY_EXC_ERR); VALUE(IBV_QPT_RC); VALUE(IBV_QP_STATE); VALUE(IBV_QPS_ERR);
  VALUE(IBV_ACCESS_LOCAL_WRITE); VALUE(IBV_ACCESS_REMOTE_WRITE); VALUE(IBV_ACCESS_REMOTE_READ);
  VALUE(RDMA_PS_TCP); VALUE(RDMA_OPTION_ID); VALUE(RDMA_OPTION_ID_ACK_TIMEOUT); VALUE(RDMA_OPTION_ID_TOS); VALUE(AF_INET); VALUE(AF_INET6);
  VALUE(EFD_NONBLOCK | EFD_CLOEXEC); VALUE(POLLIN);
  VALUE(RDMA_CM_EVENT_ADDR_RESOLVED); VALUE(RDMA_CM_EVENT_ADDR_ERROR); VALUE(RDMA_CM_EVENT_ROUTE_RESOLVED);
  VALUE(RDMA_CM_EVENT_ROUTE_ERROR); VALUE(RDMA_CM_EVENT_CONNECT_REQUEST); VALUE(RDMA_CM_EVENT_CONNECT_RESPONSE);
  VALUE(RDMA_CM_EVENT_CONNECT_ERROR); VALUE(RDMA_CM_EVENT_UNREACHABLE); VALUE(RDMA_CM_EVENT_REJECTED);
  VALUE(RDMA_CM_EVENT_ESTABLISHED); VALUE(RDMA_CM_EVENT_DISCONNECTED); VALUE(RDMA_CM_EVENT_DEVICE_REMOVAL);
  VALUE(EPERM); VALUE(ENOENT); VALUE(EINTR); VALUE(ENXIO); VALUE(EBADF); VALUE(EAGAIN); VALUE(ENOMEM); VALUE(EACCES); VALUE(ENODEV);
  VALUE(EADDRINUSE); VALUE(EADDRNOTAVAIL); VALUE(ETIMEDOUT); VALUE(F_GETFL); VALUE(F_SETFL); VALUE(O_NONBLOCK);
  printf("IBV_QP_ all %lld\n", (long long)(IBV_QP_STATE | IBV_QP_CUR_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY | IBV_QP_ACCESS_FLAGS
    | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT
    | IBV_QP_RNR_RETRY | IBV_QP_RQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_ALT_PATH | IBV_QP_MIN_RNR_TIMER | IBV_QP_SQ_PSN
    | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_PATH_MIG_STATE | IBV_QP_CAP | IBV_QP_DEST_QPN | IBV_QP_RATE_LIMIT));
  SIZE(ibv_device);
  VALUE(RDMA_CM_EVENT_ADDR_CHANGE); VALUE(RDMA_CM_EVENT_TIMEWAIT_EXIT);
  return 0;
}
