/**
 * The SISCI library of Dolphin's PCIe boards, bound by the foreign function interface: one small
 * class for each handle of the API, and no policy.
 *
 * <p>Rules: a function is looked for under its multi-threaded, its single-threaded and its plain
 * name. Flags and query codes are objects of the library and are read from there, never built in. A
 * call that fails throws {@link SisciException} with the library's own text. Handles are closed in
 * the reverse order of their making, and not used after that; one handle is used by one thread at a
 * time unless it says otherwise.
 *
 * <p>Calls that wait ({@code await…}) hold their platform thread; everything else returns soon.
 * Nothing here is a callback: threads of the library never run Java code.
 */
@NullMarked
package org.slipstream.ntb.sisci;

import org.jspecify.annotations.NullMarked;
