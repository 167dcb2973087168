/** What every medium of one-sided memory has to do, as tests. */
package org.slipstream.testkit.memory;
