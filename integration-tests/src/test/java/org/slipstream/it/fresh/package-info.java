/** Fresh connections by the ten thousand: no stream may end before its time. */
package org.slipstream.it.fresh;
