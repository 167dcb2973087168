package org.slipstream.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

/** Grants and owners as text. */
class GrantTest {
  private static final String SECRET = "00112233445566778899aabbccddeeff";

  @Test
  void aGrantIsReadAsItWasWritten() {
    for (Owner owner : new Owner[] {Owner.process(42), Owner.at(address("127.0.0.1"))}) {
      for (String name : new String[] {"r", "a/b/c", "ä ö", "two\nlines"}) {
        Grant read = Grant.decode(new Grant(owner, name, 0x1FL, SECRET).encode());
        assertThat(read.owner()).isEqualTo(owner);
        assertThat(read.region()).isEqualTo(name);
        assertThat(read.number()).isEqualTo(0x1F);
        assertThat(read.secret()).isEqualTo(SECRET);
      }
    }
  }

  @Test
  void itsSecretIsNotInMessages() {
    assertThat(new Grant(Owner.process(42), "r", 1, SECRET)).asString().doesNotContain(SECRET);
  }

  @Test
  void whatIsNoGrantIsRefused() {
    String good = new Grant(Owner.process(42), "r", 1, SECRET).encode();
    for (String bad :
        new String[] {
          "",
          "r",
          good.substring(1),
          good.replace(SECRET, SECRET.substring(1)),
          good.replace(SECRET, "../" + SECRET),
          good.replace("pid-", "../pid-"),
          good.replace("/1/", "/x/"),
          good.replace("/1/", "/11111111111111111/")
        }) {
      assertThatThrownBy(() -> Grant.decode(bad))
          .as(bad)
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void anAddressIsFoundUnderTheWildcardToo() {
    Owner any = Owner.at(new InetSocketAddress(80));
    assertThat(any.keys()).containsExactly("at-80-" + "0".repeat(32));
    assertThat(Owner.at(address("10.1.2.3")).keys())
        .containsExactly("at-80-00000000000000000000ffff0a010203", any.key());
    assertThat(Owner.at(address("::1")).keys())
        .containsExactly("at-80-00000000000000000000000000000001", any.key());
    assertThat(Owner.process(7).keys()).hasSize(1).first().asString().endsWith("-7");
  }

  private static InetSocketAddress address(String host) {
    return new InetSocketAddress(host, 80);
  }
}
