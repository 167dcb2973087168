package org.slipstream.core.events;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Period;
import jdk.jfr.Registered;
import jdk.jfr.StackTrace;

@Name("org.slipstream.Session")
@Label("Session")
@Description("A session with another process: when it begins, while it lasts, and when it ends")
@Category("Slipstream")
@Period("10 s")
@Registered
@StackTrace(false)
final class SessionEvent extends Event {
  @Label("Transport")
  String transport = "";

  @Label("Peer Process")
  String peer = "";

  @Description("open or ended")
  @Label("State")
  String state = "";

  @Description("device and port, or adapter, or file")
  @Label("Device")
  String device = "";

  @Description("own address on the fabric")
  @Label("GID")
  String gid = "";

  @Description("of the peer on the fabric")
  @Label("Address")
  String address = "";

  @Description("what our windows want of the order of writes")
  @Label("Order")
  String order = "";

  @Description("bytes of payload of a packet; 0 if unknown")
  @Label("MTU")
  long mtu;

  @Label("Streams")
  long streams;

  @DataAmount
  @Label("Pinned Bytes")
  long pinnedBytes;

  @Description("requests under way")
  @Label("Queue Used")
  long queueUsed;

  @Label("Queue Size")
  long queueSize;

  @Description("times that a sender found no room")
  @Label("Queue Full")
  long queueFull;

  @Label("Completions")
  long completions;

  @Description("packets that the port sent again or got in the wrong order, since it began")
  @Label("Retries")
  long retries;

  @Description("writes from the program's own memory")
  @Label("Zero-copy Writes")
  long zeroCopies;

  @Description("streams that lost their link of it")
  @Label("Links Lost")
  long linksLost;

  @Description("streams that got a link of it in place of a lost one")
  @Label("Links Returned")
  long linksReturned;

  @Description("why it ended")
  @Label("Cause")
  String cause = "";
}
