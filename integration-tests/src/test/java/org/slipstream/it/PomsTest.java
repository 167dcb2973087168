package org.slipstream.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

/** The poms say what Maven Central asks of each module that is published, and name each version. */
class PomsTest {
  private static final Path ROOT = Path.of("..");
  private static final XPath XPATH = XPathFactory.newInstance().newXPath();

  /** By folder; the empty name is the parent. */
  private static final Map<String, Document> POMS = new TreeMap<>();

  @BeforeAll
  static void read() throws Exception {
    Document parent = parse(ROOT.resolve("pom.xml"));
    POMS.put("", parent);
    for (String module : all(parent, "/project/modules/module")) {
      POMS.put(module, parse(ROOT.resolve(module).resolve("pom.xml")));
    }
    for (String module : all(parent, "/project/profiles/profile[id='release']/modules/module")) {
      POMS.put(module, parse(ROOT.resolve(module).resolve("pom.xml")));
    }
  }

  private static Document parse(Path pom) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(Files.newInputStream(pom), pom.toString());
  }

  private static List<String> all(Node node, String path) throws Exception {
    List<String> texts = new ArrayList<>();
    for (Node found : nodes(node, path)) {
      texts.add(found.getTextContent().strip());
    }
    return texts;
  }

  private static List<Node> nodes(Node node, String path) throws Exception {
    NodeList list = (NodeList) XPATH.evaluate(path, node, XPathConstants.NODESET);
    List<Node> nodes = new ArrayList<>();
    for (int i = 0; i < list.getLength(); i++) {
      nodes.add(list.item(i));
    }
    return nodes;
  }

  private static boolean isPublished(Document pom) throws Exception {
    return !all(pom, "/project/properties/maven.deploy.skip").contains("true");
  }

  @Test
  void whatIsPublishedSaysWhatCentralAsks() throws Exception {
    for (Map.Entry<String, Document> module : POMS.entrySet()) {
      for (String element : List.of("name", "description", "artifactId")) {
        assertThat(all(module.getValue(), "/project/" + element))
            .as("%s of %s", element, module.getKey())
            .singleElement()
            .asString()
            .isNotBlank();
      }
    }
    for (Map.Entry<String, Document> module : POMS.entrySet()) {
      if (!all(module.getValue(), "/project/parent").isEmpty()) {
        continue; // has it from there
      }
      for (String element :
          List.of(
              "url",
              "licenses/license/name",
              "licenses/license/url",
              "developers/developer/name",
              "scm/connection",
              "scm/developerConnection",
              "scm/url")) {
        assertThat(all(module.getValue(), "/project/" + element))
            .as("%s of %s", element, module.getKey())
            .isNotEmpty();
      }
    }
  }

  /** It has no parent, whose libraries it would make those of the programs that import it. */
  @Test
  void theBomSaysByItselfWhatTheOthersInherit() throws Exception {
    Document bom = POMS.get("bom");
    Document parent = POMS.get("");
    assertThat(all(bom, "/project/parent")).isEmpty();
    for (String element : List.of("version", "groupId", "properties/slipstream.home")) {
      assertThat(all(bom, "/project/" + element))
          .as(element)
          .isEqualTo(all(parent, "/project/" + element));
    }
    for (Node plugin : nodes(bom, "//plugin")) {
      String path =
          "/project/build/pluginManagement/plugins/plugin[artifactId='"
              + all(plugin, "artifactId").getFirst()
              + "']/version";
      assertThat(all(plugin, "version")).isEqualTo(all(parent, path));
    }
  }

  @Test
  void theBomHasWhatIsPublished() throws Exception {
    Set<String> published = new TreeSet<>();
    for (Document pom : POMS.values()) {
      boolean isPom = all(pom, "/project/packaging").contains("pom");
      if (!isPom && isPublished(pom)) {
        published.addAll(all(pom, "/project/artifactId"));
      }
    }
    assertThat(published).contains("agent", "memory", "netty-channel", "transport-api");
    assertThat(
            all(
                POMS.get("bom"),
                "/project/dependencyManagement/dependencies/dependency/artifactId"))
        .as("in bom/pom.xml, if a module is published or is no longer")
        .containsExactlyInAnyOrderElementsOf(published);
  }

  /** A program that uses one of them must be able to get what that needs. */
  @Test
  void whatIsPublishedNeedsNothingThatIsNot() throws Exception {
    Set<String> hidden = new TreeSet<>();
    for (Document pom : POMS.values()) {
      if (!isPublished(pom)) {
        hidden.addAll(all(pom, "/project/artifactId"));
      }
    }
    for (Map.Entry<String, Document> module : POMS.entrySet()) {
      if (isPublished(module.getValue())) {
        assertThat(
                all(
                    module.getValue(),
                    "/project/dependencies/dependency[not(scope='test')]/artifactId"))
            .as("dependencies of %s", module.getKey())
            .doesNotContainAnyElementsOf(hidden);
      }
    }
  }

  @Test
  void theVersionOfEachPluginIsPinned() throws Exception {
    Set<String> pinned =
        new TreeSet<>(all(POMS.get(""), "/project/build//plugin[version]/artifactId"));
    for (Map.Entry<String, Document> module : POMS.entrySet()) {
      for (Node plugin : nodes(module.getValue(), "//plugin[not(version)]")) {
        assertThat(pinned)
            .as("plugins of %s", module.getKey())
            .containsAll(all(plugin, "artifactId"));
      }
    }
  }

  /** Else the published pom of the agent, whose own jar has only its own classes, names nothing. */
  @Test
  void shadingLeavesThePomAlone() throws Exception {
    for (Map.Entry<String, Document> module : POMS.entrySet()) {
      if (isPublished(module.getValue())) {
        for (Node shade : nodes(module.getValue(), "//execution[goals/goal='shade']")) {
          assertThat(all(shade, "configuration/createDependencyReducedPom"))
              .as(module.getKey())
              .containsExactly("false");
        }
      }
    }
  }

  @Test
  void aBuildHasNoClock() throws Exception {
    assertThat(all(POMS.get(""), "/project/properties/project.build.outputTimestamp"))
        .singleElement()
        .asString()
        .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ");
  }
}
