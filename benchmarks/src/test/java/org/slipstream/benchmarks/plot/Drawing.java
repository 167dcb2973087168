package org.slipstream.benchmarks.plot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** An SVG as a reader sees it: its words and marks, and whether all of it is inside the picture. */
public final class Drawing {
  private static final Pattern NUMBER = Pattern.compile("-?[0-9.]+");

  /** Of the font's size: what a character of running text takes in a common font. */
  private static final double CHARACTER = 0.55;

  private final Document document;
  private final double width;
  private final double height;

  private Drawing(Document document) {
    this.document = document;
    String[] box = document.getDocumentElement().getAttribute("viewBox").split(" ", -1);
    assertThat(box).startsWith("0", "0").hasSize(4);
    width = Double.parseDouble(box[2]);
    height = Double.parseDouble(box[3]);
  }

  /** Parses it, which asserts that it is well-formed. */
  public static Drawing of(Path svg)
      throws IOException, SAXException, ParserConfigurationException {
    return new Drawing(
        DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(svg.toFile()));
  }

  private List<Element> elements(String name) {
    return inOrder(document.getElementsByTagName(name));
  }

  /** The names in the legends. */
  public List<String> names() {
    return texts("name");
  }

  /** Words of one class. */
  public List<String> texts(String of) {
    return elements("text").stream()
        .filter(text -> text.getAttribute("class").equals(of))
        .map(Element::getTextContent)
        .toList();
  }

  /** What the marks say under a pointer. */
  public List<String> marks() {
    return elements("title").stream()
        .filter(title ->
            title.getParentNode() instanceof Element parent
                && parent.getAttribute("class").startsWith("mark"))
        .map(Element::getTextContent)
        .toList();
  }

  /** The style, in which the colours of light and dark pages are. */
  public String style() {
    return elements("style").getFirst().getTextContent();
  }

  /** Asserts that no word and no line leaves the picture. */
  public Drawing isInside() {
    for (Element text : elements("text")) {
      double size = number(text, "font-size");
      double length = CHARACTER * size * text.getTextContent().length();
      double x = number(text, "x");
      double left =
          switch (text.getAttribute("text-anchor")) {
            case "end" -> x - length;
            case "middle" -> x - length / 2;
            default -> x;
          };
      assertThat(text.getTextContent()).isNotBlank();
      inside(text, left, number(text, "y") - size);
      inside(text, left + length, number(text, "y") + size / 4);
    }
    for (Element rect : elements("rect")) {
      double x = number(rect, "x");
      double y = number(rect, "y");
      assertThat(number(rect, "height")).isNotNegative();
      inside(rect, x, y);
      inside(rect, x + number(rect, "width"), y + number(rect, "height"));
    }
    for (Element line : elements("line")) {
      inside(line, number(line, "x1"), number(line, "y1"));
      inside(line, number(line, "x2"), number(line, "y2"));
    }
    for (Element circle : elements("circle")) {
      inside(circle, number(circle, "cx") - 4, number(circle, "cy") - 4);
      inside(circle, number(circle, "cx") + 4, number(circle, "cy") + 4);
    }
    elements("polygon").forEach(polygon -> numbersInside(polygon, "points"));
    elements("path").forEach(path -> numbersInside(path, "d"));
    return this;
  }

  /** Asserts that each group of bars has its middle where its label is. */
  public Drawing barsAreAroundTheirLabels() {
    int groups = 0;
    for (Element panel : elements("g")) {
      List<Element> bars = inOrder(panel.getElementsByTagName("rect"));
      if (panel.getAttribute("class").equals("panel") && !bars.isEmpty()) {
        List<Double> labels =
            inOrder(panel.getElementsByTagName("line")).stream()
                .filter(line -> line.getAttribute("class").equals("grid"))
                .filter(line -> line.getAttribute("x1").equals(line.getAttribute("x2")))
                .map(line -> number(line, "x1"))
                .toList();
        for (double label : labels) {
          DoubleSummaryStatistics ends = new DoubleSummaryStatistics();
          for (Element bar : bars) {
            double left = number(bar, "x");
            double right = left + number(bar, "width");
            double nearest = nearest(labels, (left + right) / 2);
            if (nearest == label) {
              ends.accept(left);
              ends.accept(right);
            }
          }
          assertThat((ends.getMin() + ends.getMax()) / 2).isCloseTo(label, within(0.5));
          groups++;
        }
      }
    }
    assertThat(groups).isPositive();
    return this;
  }

  private static double nearest(List<Double> all, double x) {
    return Collections.min(all, Comparator.comparingDouble(one -> Math.abs(one - x)));
  }

  private static List<Element> inOrder(NodeList nodes) {
    List<Element> all = new ArrayList<>();
    for (int i = 0; i < nodes.getLength(); i++) {
      all.add((Element) nodes.item(i));
    }
    return all;
  }

  private void numbersInside(Element element, String attribute) {
    Matcher numbers = NUMBER.matcher(element.getAttribute(attribute));
    double most = Math.max(width, height);
    while (numbers.find()) {
      assertThat(Double.parseDouble(numbers.group())).isBetween(0.0, most);
    }
  }

  private void inside(Element element, double x, double y) {
    assertThat(x).as("%s %s", element.getTagName(), element.getTextContent()).isBetween(0.0, width);
    assertThat(y)
        .as("%s %s", element.getTagName(), element.getTextContent())
        .isBetween(0.0, height);
  }

  private static double number(Element element, String attribute) {
    return Double.parseDouble(element.getAttribute(attribute));
  }
}
