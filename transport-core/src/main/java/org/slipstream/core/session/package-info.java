/**
 * How two processes agree to join a stream: offers, acceptances, and what is said about links while
 * they live. Everything runs on the one control thread.
 *
 * <pre>
 *   client process                                server process
 *   Stream eligible -&gt; Offers --OFFER(id, tuple)--&gt; AcceptedStreams matches the tuple
 *                  attach &lt;--ACCEPT(id, nonce)--- attach
 *   MARK goes out on the TCP connection ................. is read there: the peer is proven
 *            LinkTable &lt;--CREDIT, CLOSED, REVOKE--&gt; LinkTable
 * </pre>
 */
@NullMarked
package org.slipstream.core.session;

import org.jspecify.annotations.NullMarked;
