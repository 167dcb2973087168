package org.slipstream.core.ring;

/** A file on a disk that is broken, or full. */
final class BrokenFile extends OtherFile {}
