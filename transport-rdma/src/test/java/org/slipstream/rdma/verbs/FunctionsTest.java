package org.slipstream.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Libraries that are missing, or too old, by the example of the C library. */
class FunctionsTest {
  private static final NativeLibrary C = NativeLibrary.c();
  private static final NativeLibrary NONE =
      NativeLibrary.open("libslipstream-none.so.1", "slipstream-none1");

  @Test
  void whatIsThereIsLoaded() {
    Functions<Call> found = Functions.of(() -> Call.of(C, "getpid"));
    assertThat(found.failure()).isEmpty();
    assertThat(found.get().isThere()).isTrue();
  }

  @Test
  void noLibraryIsAValue() {
    Functions<Call> none = Functions.of(() -> Call.of(NONE, "getpid"));
    assertThat(none.failure())
        .isEqualTo("libslipstream-none.so.1 is not installed (Debian package slipstream-none1)");
    assertThatThrownBy(none::get)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(none.failure());
  }

  @Test
  void anOldLibraryIsAValue() {
    Functions<Call> old = Functions.of(() -> Call.of(C, "slipstream_none"));
    assertThat(old.failure()).isEqualTo("libc is too old: it has no function slipstream_none");
  }

  @Test
  void aFunctionThatMayBeMissingFailsWhenItIsCalled() {
    Call newer = Call.ofNewer(C, "slipstream_none");
    assertThat(newer.isThere()).isFalse();
    assertThatThrownBy(() -> newer.check(MemorySegment.NULL))
        .isInstanceOf(IOException.class)
        .hasMessage("this version of the library has no function slipstream_none");
    assertThat(Functions.of(() -> Call.ofNewer(NONE, "getpid")).failure())
        .contains("is not installed");
  }
}
