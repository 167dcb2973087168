/** Netty's own socket tests over every way in, and the libraries that are built on Netty. */
package org.slipstream.it.netty;
