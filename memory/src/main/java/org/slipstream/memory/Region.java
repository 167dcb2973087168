package org.slipstream.memory;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slipstream.transport.LazyLogger;
import org.slipstream.transport.OwnMemory;
import org.slipstream.transport.Session;

/**
 * Memory of this process that others map by its name, or with a {@link Grant}, until it is closed.
 * Safe for any thread.
 */
public final class Region implements AutoCloseable {
  private static final class Random {
    static final SecureRandom SECURE = new SecureRandom();
  }

  private static final LazyLogger LOG = new LazyLogger("org.slipstream.memory");

  /** A mapping: whose, and its number there. */
  private record Mapping(Session session, long id) {}

  /** A grant that is not revoked. */
  private record Granted(String secret, int rights) {}

  /**
   * What ends.
   *
   * @param all whose holders have been told
   * @param held of these, the mappings that only their holders can end
   */
  private record Revoked(Set<Mapping> all, Set<Mapping> held) {}

  private final String name;
  private final Supplier<Owner> owner;
  private final OwnMemory memory;
  private final int rights;
  private final Consumer<Region> onClose;

  // All guarded by this; sessions only queue what they are told, so no holder of it waits.

  /**
   * By their numbers. What has a number below {@link #nextGrant} and is not here was revoked, so
   * nothing is kept of it.
   */
  private final Map<Long, Granted> grants = new HashMap<>();

  private long nextGrant = 1;

  /** The secret with which each mapping was made. */
  private final Map<Mapping, String> mappings = new HashMap<>();

  private boolean closed;

  /** Whether the holders have heard that it is closed, or are to hear nothing any more. */
  private boolean told;

  Region(
      String name, Supplier<Owner> owner, OwnMemory memory, int rights, Consumer<Region> onClose) {
    this.name = name;
    this.owner = owner;
    this.memory = memory;
    this.rights = rights;
    this.onClose = onClose;
  }

  /**
   * By which others map it.
   *
   * @return its name
   */
  public String name() {
    return name;
  }

  /**
   * The memory: this process reads and writes it as any of its own, while others do. Their
   * operations are ordered as {@link Queue} says; use a {@link java.lang.invoke.VarHandle} for
   * words that two processes write.
   *
   * @return usable until {@link #close}
   */
  public MemorySegment memory() {
    return memory.segment();
  }

  /**
   * Makes a grant, for a process that is to have other rights than all those that know the name.
   *
   * @param granted what its holder may do
   * @return the grant, with a new secret
   */
  public Grant grant(Set<Right> granted) {
    byte[] bytes = new byte[Grant.SECRET_BYTES];
    Random.SECURE.nextBytes(bytes);
    String secret = Grant.hex(bytes);
    synchronized (this) {
      long number = nextGrant++;
      grants.put(number, new Granted(secret, Right.bits(granted)));
      return new Grant(owner.get(), name, number, secret);
    }
  }

  /**
   * How many mappings of it other processes have.
   *
   * @return at this moment
   */
  public synchronized int mappings() {
    return mappings.size();
  }

  /**
   * Ends what was made with a grant, and the grant.
   *
   * @param grant one of this region
   * @param patience how long to wait for the processes that have mapped it
   * @return true if the memory is not mapped with that grant any more: no load or store of its
   *     holders comes after this. False if one of them has not confirmed that in time, because it
   *     is stopped for example; it will when it goes on. Over RDMA the device takes the memory
   *     away, and over NTB the owner's own thread does, so it is true even then
   * @throws InterruptedException while waiting; the grant is revoked all the same
   * @throws OutOfMemoryError the heap is full; the grant is not revoked yet: call this again
   */
  public boolean revoke(Grant grant, Duration patience) throws InterruptedException {
    synchronized (this) {
      Revoked revoked = revoke(grant.secret()::equals);
      Granted mine = grants.get(grant.number());
      if (mine != null && mine.secret.equals(grant.secret())) {
        memory.forget(mine.secret);
        // The last step: if there was no memory for one before it, the next call does all of them.
        grants.remove(grant.number());
      }
      return await(revoked, patience);
    }
  }

  /**
   * Ends all mappings and all grants. The region stays: a process that knows its name may map it
   * anew, and new grants can be made.
   *
   * @param patience how long to wait for the processes that have mapped it
   * @return true if no other process has it mapped any more; see {@link #revoke(Grant, Duration)}
   * @throws InterruptedException while waiting; all is revoked all the same
   * @throws OutOfMemoryError the heap is full; not all is revoked yet: call this again
   */
  public synchronized boolean revokeAll(Duration patience) throws InterruptedException {
    Revoked revoked = revoke(secret -> true);
    memory.forget(MemoryFrame.NO_SECRET);
    grants.values().forEach(each -> memory.forget(each.secret));
    grants.clear(); // the last step, as in revoke
    return await(revoked, patience);
  }

  /** Waits for the holders. */
  private synchronized boolean await(Revoked revoked, Duration patience)
      throws InterruptedException {
    long deadline = System.nanoTime() + patience.toNanos();
    while (!Collections.disjoint(revoked.all, mappings.keySet())) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return Collections.disjoint(revoked.held, mappings.keySet());
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
    return true;
  }

  /** Tells the holders, and takes the memory away where the medium can. */
  private synchronized Revoked revoke(Predicate<String> which) {
    Revoked revoked = new Revoked(new HashSet<>(), new HashSet<>());
    mappings.forEach((mapping, secret) -> {
      if (which.test(secret)) {
        revoked.all.add(mapping);
        mapping.session.send(MemoryFrame.revoke(mapping.id));
        if (!memory.revoke(mapping.session, secret)) {
          revoked.held.add(mapping);
        }
      }
    });
    return revoked;
  }

  /**
   * Ends the region: its name is free, its mappings are revoked, and the memory of this process is
   * unmapped. Does not wait for other processes: what they have mapped is theirs until they have
   * heard of it. Idempotent.
   *
   * @throws IllegalStateException if an operation of the JDK uses the memory; closed again after
   *     it, the memory is unmapped
   */
  @Override
  public void close() {
    close(true);
  }

  /**
   * The domain ends, and its sessions with it, which another thread may still be ending: what is
   * mapped is lost, as at the end of the process, and no holder may hear first that it was revoked.
   */
  void closeWithDomain() {
    close(false);
  }

  private void close(boolean tells) {
    synchronized (this) {
      closed = true;
      grants.clear();
      if (tells && !told) {
        Revoked _ = revoke(secret -> true);
      }
      told = true; // if there was no memory for it, the next call tells them
    }
    onClose.accept(this);
    memory.close();
  }

  // -- for the control thread ------------------------------------------------------------------

  /**
   * Answers a peer that wants to map it.
   *
   * @return whether it may
   */
  synchronized boolean request(Session session, long id, MemoryFrame.Request asked) {
    MappingException.@Nullable Reason objection = objection(asked);
    if (objection != null) {
      session.send(MemoryFrame.refused(id, objection));
      return false;
    }
    boolean byName = asked.secret().equals(MemoryFrame.NO_SECRET);
    Granted granted = byName ? null : grants.get(asked.grant());
    int its = granted == null ? rights : granted.rights;
    Mapping mapping = new Mapping(session, id);
    mappings.put(mapping, asked.secret()); // before the peer has it
    try {
      session.send(MemoryFrame.mapped(id, its, memory, session, asked.secret()));
    } catch (IOException e) {
      mappings.remove(mapping);
      LOG.log(Level.DEBUG, "'" + name + "' can not be given to " + session.peer(), e);
      session.send(MemoryFrame.refused(id, MappingException.Reason.NO_MEMORY_THERE));
      return false;
    }
    return true;
  }

  private MappingException.@Nullable Reason objection(MemoryFrame.Request asked) {
    if (closed) {
      return MappingException.Reason.NO_REGION;
    }
    if (asked.secret().equals(MemoryFrame.NO_SECRET)) {
      if (rights == 0) {
        return MappingException.Reason.DENIED;
      }
    } else {
      Granted granted = grants.get(asked.grant());
      if (granted == null && asked.grant() > 0 && asked.grant() < nextGrant) {
        return MappingException.Reason.REVOKED;
      }
      if (granted == null || granted.rights == 0 || !granted.secret.equals(asked.secret())) {
        return MappingException.Reason.DENIED;
      }
    }
    return null;
  }

  /** A peer has unmapped it, or is gone. */
  synchronized void unmapped(Session session, long id) {
    mappings.remove(new Mapping(session, id));
    notifyAll();
  }
}
