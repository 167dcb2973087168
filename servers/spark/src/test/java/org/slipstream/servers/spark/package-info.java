/** A server in processes of its own; see {@code docs/SERVERS.md}. */
package org.slipstream.servers.spark;
