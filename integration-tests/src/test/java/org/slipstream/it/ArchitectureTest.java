package org.slipstream.it;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleName;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameStartingWith;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slipstream.testkit.SourceTree;

/** Which way the modules may look: adapters, core, contract, backends. */
class ArchitectureTest {
  private static final String API = "org.slipstream.transport..";
  private static final String CORE = "org.slipstream.core..";
  private static final String PROVIDER = "org.slipstream.provider..";
  private static final String NETTY = "org.slipstream.netty..";
  private static final String AGENT = "org.slipstream.agent..";
  private static final String SHM = "org.slipstream.shm..";
  private static final String RDMA = "org.slipstream.rdma..";
  private static final String NTB = "org.slipstream.ntb..";
  private static final String METRICS = "org.slipstream.metrics..";
  private static final String MEMORY = "org.slipstream.memory..";
  private static final String ZOOKEEPER = "org.slipstream.memory.zookeeper..";
  private static final String TEST_KIT = "org.slipstream.testkit..";
  private static final String FUZZ_KIT = "org.slipstream.fuzz..";
  private static final String BENCHMARKS = "org.slipstream.benchmarks..";

  /** Its classes are compiled against the JDK's internals, and loaded where these are opened. */
  private static final String JDK_INTERNALS = "org.slipstream.provider.jdk";

  /** Names them by strings. */
  private static final String JDK_INTERNALS_CLASS = "DefaultProvider";

  /** Does so in its place where it can not be loaded, on a Java before 25. */
  private static final String JDK_INTERNALS_BEFORE_25 = "JdkChannels";

  private static JavaClasses slipstream;

  @BeforeAll
  static void readClasses() {
    slipstream =
        new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("org.slipstream");
    assertThat(slipstream).isNotEmpty();
  }

  @Test
  void contractSeesNothingOfOurs() {
    check(
        noClasses()
            .that()
            .resideInAPackage(API)
            .should()
            .dependOnClassesThat(
                resideInAPackage("org.slipstream..")
                    .and(DescribedPredicate.not(resideInAPackage(API)))));
  }

  @Test
  void coreSeesOnlyTheContract() {
    check(
        noClasses()
            .that()
            .resideInAPackage(CORE)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(PROVIDER, NETTY, AGENT, SHM, RDMA, NTB));
  }

  @Test
  void backendsSeeOnlyTheContract() {
    check(
        noClasses()
            .that()
            .resideInAnyPackage(SHM, RDMA, NTB)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(CORE, PROVIDER, NETTY, AGENT));
  }

  @Test
  void backendsDoNotSeeEachOther() {
    for (String backend : List.of(SHM, RDMA, NTB)) {
      String[] others =
          Stream.of(SHM, RDMA, NTB).filter(other -> !other.equals(backend)).toArray(String[]::new);
      check(
          noClasses()
              .that()
              .resideInAPackage(backend)
              .should()
              .dependOnClassesThat()
              .resideInAnyPackage(others));
    }
  }

  @Test
  void adaptersSeeNoBackend() {
    check(
        noClasses()
            .that()
            .resideInAnyPackage(PROVIDER, NETTY)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(SHM, RDMA, NTB, AGENT));
  }

  /** The core of the process is found in one place, which knows the JDK's own provider. */
  @Test
  void nettyAdapterTakesOnlyTheInstallationFromTheOtherAdapter() {
    check(
        noClasses()
            .that()
            .resideInAPackage(NETTY)
            .should()
            .dependOnClassesThat(
                resideInAPackage(PROVIDER)
                    .and(DescribedPredicate.not(simpleName("Installation")))));
  }

  @Test
  void productSeesNoTestCode() {
    check(
        noClasses()
            .that()
            .resideInAnyPackage(API, CORE, PROVIDER, NETTY, AGENT, SHM, RDMA, NTB, METRICS, MEMORY)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(TEST_KIT, FUZZ_KIT, BENCHMARKS));
  }

  /** Micrometer is optional: its module reads the counters, and no module needs it. */
  @Test
  void metricsReadTheCountersAndNoModuleSeesThem() {
    check(
        noClasses()
            .that()
            .resideInAPackage(METRICS)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(SHM, RDMA, NTB, NETTY, AGENT));
    check(
        noClasses()
            .that()
            .resideOutsideOfPackage(METRICS)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(METRICS, "io.micrometer.."));
  }

  /** One-sided memory is beside the adapters: it finds its transport as the core does. */
  @Test
  void memorySeesTheCoreAndTheContractAndOnlyItsCommandSeesIt() {
    check(
        noClasses()
            .that()
            .resideInAPackage(MEMORY)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(PROVIDER, NETTY, AGENT, SHM, RDMA, NTB, METRICS));
    check(
        noClasses()
            .that()
            .resideInAnyPackage(API, CORE, PROVIDER, NETTY, AGENT, SHM, RDMA, NTB, METRICS)
            .and()
            .resideOutsideOfPackage("org.slipstream.agent.memory")
            .should()
            .dependOnClassesThat()
            .resideInAPackage(MEMORY));
  }

  /** ZooKeeper is optional: one module knows it, and no module needs that one. */
  @Test
  void memoryInZooKeeperSeesMemoryAndNoModuleSeesIt() {
    check(
        noClasses()
            .that()
            .resideInAPackage(ZOOKEEPER)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(CORE));
    check(
        noClasses()
            .that()
            .resideOutsideOfPackage(ZOOKEEPER)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(ZOOKEEPER, "org.apache.curator..", "org.apache.zookeeper.."));
  }

  /** What the adapters and Micrometer's module use of the core is exported to them by name. */
  @Test
  void programsSeeOnePackageOfTheCore() {
    assertThat(Exports.toEveryModule())
        .filteredOn(name -> name.startsWith("org.slipstream.core."))
        .containsExactly("org.slipstream.core.api");
  }

  @Test
  void whatIsExportedShowsNoTypeThatIsNot() {
    assertThat(Exports.shownButNotExported(slipstream)).isEmpty();
  }

  @Test
  void everyPackageIsInTheDrawing() {
    check(
        classes()
            .should()
            .resideInAnyPackage(
                API,
                CORE,
                PROVIDER,
                NETTY,
                AGENT,
                SHM,
                RDMA,
                NTB,
                METRICS,
                MEMORY,
                TEST_KIT,
                FUZZ_KIT,
                BENCHMARKS));
  }

  @Test
  void onePackageUsesTheInternalsOfTheJdk() {
    check(
        noClasses()
            .that()
            .resideOutsideOfPackage(JDK_INTERNALS)
            .should()
            .dependOnClassesThat(nameStartingWith("sun.").or(nameStartingWith("jdk.internal."))));
  }

  /** Reflection names classes by strings, which no class file dependency shows. */
  @Test
  void oneClassNamesTheInternalsOfTheJdk() throws IOException {
    List<Path> offenders =
        SourceTree.files(Path.of("..")).stream()
            .filter(ArchitectureTest::isMainSource)
            .filter(file -> !file.getParent().endsWith(JDK_INTERNALS.replace('.', '/')))
            .filter(file -> !file.endsWith(JDK_INTERNALS_CLASS + ".java"))
            .filter(file -> !file.endsWith(JDK_INTERNALS_BEFORE_25 + ".java"))
            .filter(ArchitectureTest::namesJdkInternals)
            .toList();
    assertThat(offenders).as("sources with \"sun.nio.ch\" in a string or an import").isEmpty();
  }

  private static boolean isMainSource(Path file) {
    String path = file.toString();
    return path.contains("/src/main/java/") && path.endsWith(".java");
  }

  private static boolean namesJdkInternals(Path source) {
    try (Stream<String> lines = Files.lines(source)) {
      return lines.anyMatch(
          line -> line.matches("import (static )?sun\\..*|[^/*]*\"sun[./]nio[./]ch.*"));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** A rule about a layer that was not found fails. */
  private static void check(ArchRule rule) {
    rule.check(slipstream);
  }
}
