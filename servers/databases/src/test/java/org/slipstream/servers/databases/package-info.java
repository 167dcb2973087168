/** A log of SQL statements, replayed through one JDBC connection to a server. */
package org.slipstream.servers.databases;
