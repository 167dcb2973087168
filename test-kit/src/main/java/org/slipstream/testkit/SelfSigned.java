package org.slipstream.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** A certificate of this JVM's own, for both ends of TLS. */
public final class SelfSigned {

  private static final char[] PASSWORD = "conformance".toCharArray();

  private static @Nullable SSLContext context; // guarded by the class

  private SelfSigned() {}

  /** A context that trusts, and shows, the certificate of this JVM. */
  public static synchronized SSLContext context() throws Exception {
    SSLContext existing = context;
    if (existing != null) {
      return existing;
    }
    KeyStore keys = selfSigned();
    KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    own.init(keys, PASSWORD);
    TrustManagerFactory trusted =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trusted.init(keys);
    SSLContext created = SSLContext.getInstance("TLS");
    created.init(own.getKeyManagers(), trusted.getTrustManagers(), null);
    context = created;
    return created;
  }

  /**
   * The key of a certificate that no other test trusts, fresh from the keytool of this JDK; or the
   * one that {@code slipstream.test.keystore} names, where a JVM takes long to start.
   */
  private static KeyStore selfSigned()
      throws IOException, GeneralSecurityException, InterruptedException {
    String made = System.getProperty("slipstream.test.keystore");
    if (made != null) {
      return load(Path.of(made));
    }
    Path directory = Files.createTempDirectory("conformance");
    Path file = directory.resolve("conformance.p12");
    try {
      make(file);
      return load(file);
    } finally {
      Files.deleteIfExists(file);
      Files.delete(directory);
    }
  }

  private static KeyStore load(Path file) throws IOException, GeneralSecurityException {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      keys.load(in, PASSWORD);
    }
    return keys;
  }

  /** Makes a certificate and its key for another JVM, in a file that does not exist yet. */
  public static void make(Path file) throws IOException, InterruptedException {
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "conformance",
                "-keyalg",
                "EC",
                "-dname",
                "CN=localhost",
                "-validity",
                "2",
                "-storetype",
                "PKCS12",
                "-storepass",
                new String(PASSWORD),
                "-keystore",
                file.toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    assertThat(keytool.waitFor(Patience.DEADLINE)).as("keytool ends").isTrue();
    assertThat(keytool.exitValue()).as("keytool's exit code").isZero();
  }
}
