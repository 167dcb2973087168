package org.slipstream.ntb;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** A lane with both ends in one test: the test says when the owner works, and what time it is. */
final class LanePair implements NtbPeerMemory.Lanes, ClientLane.Way {
  final MemorySegment requests = Arena.ofAuto().allocate(LaneLayout.BYTES, 64);
  final MemorySegment answers = Arena.ofAuto().allocate(LaneLayout.BYTES, 64);
  final GrantTable grants = new GrantTable();
  final List<String> failures = new ArrayList<>();
  final HeapImported atOwner = new HeapImported(requests);
  final HeapImported atClient = new HeapImported(answers);
  final OwnerLane owner;
  final ClientLane client;
  long now = 1;
  int wakes;
  int released;
  boolean open = true;
  boolean wakeable = true;

  LanePair() {
    owner = new OwnerLane(grants, requests, atClient, () -> now, failures::add, () -> released++);
    client = new ClientLane(this, () -> now);
  }

  /** The client may use it. */
  void openLane() {
    client.open(answers, atOwner);
  }

  @Override
  public ClientLane take() {
    return client;
  }

  @Override
  public void giveBack(ClientLane lane) {
    lane.handOver();
  }

  @Override
  public boolean isOpen() {
    return open;
  }

  @Override
  public boolean wake() {
    wakes += wakeable ? 1 : 0;
    return wakeable;
  }

  @Override
  public void abort(String cause) {
    failures.add(cause);
    open = false;
  }
}
