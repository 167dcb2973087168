package org.slipstream.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.slipstream.transport.ProcessId;

/**
 * No class can be understood without those that it depends on, so classes that all depend on each
 * other can only be understood together. Short files do not help: a part that takes the whole back
 * as a parameter is still a part of it. This rule stands where a limit of lines stood.
 *
 * <p>A pair or a few classes that are one thing to their users may stay, with the reason beside.
 */
class ClassCyclesTest {

  private static final String TELL_EACH_OTHER = "a thing and its host, which tell each other";

  private static final String ANSWERS_ITS_OWNER = "an object of an API that names its owner";

  /**
   * A cycle that is known.
   *
   * @param reason why it may stay
   * @param classes by full names
   */
  private record Known(String reason, Set<String> classes) {}

  private static Known known(String reason, String packageName, String... names) {
    return new Known(
        reason,
        Arrays.stream(names)
            .map(name -> "org.slipstream." + packageName + "." + name)
            .collect(Collectors.toCollection(TreeSet::new)));
  }

  private static final List<Known> KNOWN =
      List.of(
          known(TELL_EACH_OTHER, "core.stream", "Stream", "StreamHost"),
          known(ANSWERS_ITS_OWNER, "provider.nio", "SlipstreamSocketChannel", "SocketAdaptor"),
          known(ANSWERS_ITS_OWNER, "provider.nio", "SlipstreamSelectionKey", "SlipstreamSelector"),
          known(
              ANSWERS_ITS_OWNER,
              "provider.nio",
              "ServerSocketAdaptor",
              "SlipstreamServerSocketChannel"),
          known(ANSWERS_ITS_OWNER, "netty", "InterestKey", "Registration"),
          known(
              ANSWERS_ITS_OWNER,
              "netty",
              "SlipstreamSocketChannel",
              "SlipstreamSocketChannelConfig"),
          known(
              ANSWERS_ITS_OWNER,
              "netty",
              "SlipstreamServerSocketChannel",
              "SlipstreamServerSocketChannelConfig"));

  private static final List<Set<String>> FOUND =
      ClassCycles.among(
          new ClassFileImporter()
              .withImportOption(new ImportOption.DoNotIncludeTests())
              .importPackages("org.slipstream"));

  @Test
  void classesDependOnEachOtherOnlyWhereItIsKnown() {
    assertThat(FOUND)
        .as("cycles of classes that are not known: break them, or list them here with a reason")
        .allMatch(cycle -> KNOWN.stream().anyMatch(known -> known.classes().containsAll(cycle)));
  }

  @Test
  void theListHoldsNothingThatIsMended() {
    Set<String> mended = new TreeSet<>();
    KNOWN.forEach(known -> mended.addAll(known.classes()));
    FOUND.forEach(mended::removeAll);
    assertThat(mended).as("classes in no cycle any more: take them off the list").isEmpty();
  }

  @Test
  void aCycleIsFoundAndAChainIsNone() {
    Map<String, Set<String>> graph =
        Map.of(
            "a", Set.of("b", "x"),
            "b", Set.of("c"),
            "c", Set.of("a", "d"),
            "d", Set.of("e", "d"),
            "e", Set.of("f"),
            "f", Set.of("e", "g"));
    assertThat(ClassCycles.of(graph))
        .containsExactlyInAnyOrder(Set.of("a", "b", "c"), Set.of("e", "f"));
  }

  /** The compiler copies it, and only the constant pool still knows where from. */
  @Test
  void aConstantOfAnotherClassIsADependency() {
    assertThat(ClassCycles.named(new ClassFileImporter().importClass(UserOfAConstant.class)))
        .contains(ProcessId.class.getName());
  }

  static final class UserOfAConstant {
    static final int BITS = 8 * ProcessId.BYTES;
  }
}
