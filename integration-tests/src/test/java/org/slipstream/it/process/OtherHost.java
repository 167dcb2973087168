package org.slipstream.it.process;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.slipstream.transport.Transport;

/** The other host of the hardware kit, as {@code config/fabric-kit} describes it. */
final class OtherHost {
  private static final String PREFIX = "slipstream.kit.";

  /** Its address on the fabric. */
  static final String ADDRESS = setting("there");

  /** The name of the transport that is tested. */
  static final String TRANSPORT = setting("transport");

  private OtherHost() {}

  private static String setting(String name) {
    return Objects.requireNonNull(System.getProperty(PREFIX + name), PREFIX + name);
  }

  /** A device there that may be taken down; empty if none may. */
  static String link() {
    return System.getProperty(PREFIX + "link", "");
  }

  static int minutes() {
    return Integer.getInteger(PREFIX + "minutes", 1);
  }

  /** Settings of the processes of both hosts. */
  private static List<String> settings(Children children) {
    List<String> all = new ArrayList<>(List.of("--enable-native-access=ALL-UNNAMED"));
    all.add("-Dslipstream.transports=" + TRANSPORT);
    if (TRANSPORT.equals("shm")) { // how the kit is tried without a fabric
      all.add("-Dslipstream.dir=" + directory(children));
    }
    words().map(word -> "-Dslipstream." + word).forEach(all::add);
    return all;
  }

  private static Stream<String> words() {
    return Stream.of(System.getProperty(PREFIX + "settings", "").split(" ", -1))
        .filter(word -> !word.isEmpty());
  }

  /** The runtime directory of processes here. */
  static String directory(Children children) {
    String key = "dir=";
    return words()
        .filter(word -> word.startsWith(key))
        .map(word -> word.substring(key.length()))
        .findFirst()
        .orElse(children.directory().toString());
  }

  /** As a carrier in this JVM wants the settings. */
  static Properties properties(Children children) {
    Properties properties = new Properties();
    properties.setProperty("slipstream.dir", directory(children));
    words()
        .map(word -> word.split("=", 2))
        .forEach(pair -> properties.setProperty("slipstream." + pair[0], pair[1]));
    return properties;
  }

  /** A program there. */
  static Peer peer(Children children) throws Exception {
    List<String> command =
        new ArrayList<>(List.of(System.getenv("SLIPSTREAM_KIT_PEER").split(" ", -1)));
    command.addAll(settings(children));
    return children.launch(command).awaitReady();
  }

  /** One here. */
  static Peer client(Children children) throws Exception {
    return children.accelerated(settings(children).toArray(String[]::new));
  }

  static Transport transport() {
    return ServiceLoader.load(Transport.class).stream()
        .map(ServiceLoader.Provider::get)
        .filter(transport -> transport.name().equals(TRANSPORT))
        .findFirst()
        .orElseThrow();
  }
}
