package org.slipstream.rdma;

import java.io.IOException;
import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slipstream.rdma.cm.CmId;

/**
 * Where a session runs, for operators. Read while its identifier is open, but for the retries,
 * which the kernel counts for the port: tools ask at any time.
 *
 * @param device with its port, {@code mlx5_0/1}
 * @param gid own address on the fabric; empty over iWARP
 * @param address of the peer
 * @param mtu bytes of payload of a packet of the port; 0 if unknown
 * @param retries what the port had counted when the session began; negative if it does not count
 */
record SessionFacts(String device, String gid, String address, int mtu, long retries) {
  static SessionFacts of(CmId id) throws IOException {
    String device = id.device().toString();
    int port = id.port();
    InetAddress peer = id.remoteAddress();
    return new SessionFacts(
        device + "/" + port,
        id.device().isIwarp() ? "" : RdmaDevices.text(id.sourceGid()),
        peer == null ? "" : peer.getHostAddress(),
        RdmaDevices.mtu(device, port),
        RdmaDevices.retries(device, port));
  }

  /** Members of the answer to {@code slipstream ps --sessions}. */
  Map<String, Object> members() {
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("device", device);
    members.put("gid", gid);
    members.put("address", address);
    members.put("mtu", (long) mtu);
    if (retries >= 0) {
      int slash = device.lastIndexOf('/');
      int port = Integer.parseInt(device.substring(slash + 1));
      long now = RdmaDevices.retries(device.substring(0, slash), port);
      members.put("retries", Math.max(0, now - retries));
    }
    return members;
  }
}
