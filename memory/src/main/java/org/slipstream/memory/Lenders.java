package org.slipstream.memory;

import java.io.IOException;
import java.util.List;

/**
 * Where a client finds memory servers, and where the names of reservations are unique: on one host
 * ({@link HostLenders}), or in a directory that several hosts share ({@link DirectoryLenders}).
 */
interface Lenders {

  /** One server, as this client asks it. */
  interface Lender {
    /** Asks; any thread, does not wait. */
    Questions.Poll ask(String question);

    /**
     * Gives a chunk back, or all of a reservation; any thread, does not wait. Twice does no harm.
     *
     * @param chunk empty: all that the reservation has there
     */
    default void give(long reservation, String chunk) {
      Questions.Poll _ = ask("give " + reservation + " " + chunk);
    }
  }

  /**
   * What a server said of itself.
   *
   * @param lender the server
   * @param chunkBytes size of its chunks
   * @param free how many it lends at this moment
   */
  record Offer(Lender lender, long chunkBytes, int free) {}

  /**
   * A chunk of ours.
   *
   * @param region mapped, with all rights
   * @param lender its server
   * @param reservation for which it was taken
   */
  record Chunk(RemoteRegion region, Lender lender, long reservation) {}

  /** Takes chunks from servers, and gives them back. */
  interface Chunks {
    /**
     * Takes all that are needed, or none; servers know them by the label from then on.
     *
     * @param into receives them; empty if this fails
     */
    void take(String label, List<Chunk> into) throws IOException, InterruptedException;

    /** Gives them back; does not wait. Twice does no harm. */
    void give(List<Chunk> chunks);
  }

  /**
   * What was reserved by a name.
   *
   * @param chunks of it
   * @param release ends the name, and then gives the chunks back; does not wait. Twice does no harm
   */
  record Named(List<Chunk> chunks, Runnable release) {}

  /**
   * Asks all servers.
   *
   * @return what they offer, the eldest first
   * @throws IOException if there is none that answers; the message says what to do
   */
  List<Offer> offers() throws IOException, InterruptedException;

  /**
   * Takes chunks under a name that no other reservation has.
   *
   * @throws IOException the name is taken, or chunks can not be taken; nothing is kept then
   */
  Named reserve(String name, Chunks chunks) throws IOException, InterruptedException;

  /**
   * Asks the servers of a reservation for what its holder gives to others.
   *
   * @return a grant for each chunk
   * @throws MappingException there is none of that name, or not all of its servers answer
   */
  List<Grant> grants(String name) throws IOException, InterruptedException;

  /** By either kind. */
  static IOException taken(String name) {
    return new IOException("'" + name + "' is reserved already; close that first");
  }

  /** By either kind. */
  static MappingException unknown(
      String name, int index, boolean answered, String withoutReservation) {
    return new MappingException(
        answered ? MappingException.Reason.NO_REGION : MappingException.Reason.NO_ANSWER,
        "'"
            + name
            + "' can not be mapped: "
            + (index == 0
                ? withoutReservation
                : "the server of its chunk " + index + " has ended"));
  }
}
