/** Servers that answer requests, in processes of their own; see {@code docs/SERVERS.md}. */
package org.slipstream.servers.services;
