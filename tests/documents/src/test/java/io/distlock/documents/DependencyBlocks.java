package io.distlock.documents;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;

/** Dependencies as the pages ask for them: what is ours has to be published from here. */
final class DependencyBlocks {

    private static final Path ROOT = Path.of("..", "..");
    private static final String OURS = "io.distlock";
    private static final String NOT_PUBLISHED = "<maven.deploy.skip>true<";

    private DependencyBlocks() {}

    static List<String> problems(CodeBlock block) throws IOException {
        Document document;
        try {
            DocumentBuilder parser = DocumentBuilderFactory.newInstance().newDocumentBuilder();
            // The default one prints.
            parser.setErrorHandler(null);
            document = parser.parse(new InputSource(new StringReader("<block>" + block.text() + "</block>")));
        } catch (SAXException | ParserConfigurationException malformed) {
            return List.of(block.problem(1, "not well-formed: " + malformed.getMessage()));
        }
        List<String> problems = new ArrayList<>();
        NodeList dependencies = document.getElementsByTagName("dependency");
        for (int at = 0; at < dependencies.getLength(); at++) {
            Element dependency = (Element) dependencies.item(at);
            String artifact = text(dependency, "artifactId");
            if (text(dependency, "groupId").equals(OURS) && !isPublished(artifact)) {
                problems.add(block.problem(1, "no module that is published is named " + artifact));
            }
        }
        return problems;
    }

    private static String text(Element element, String child) {
        return element.getElementsByTagName(child).item(0).getTextContent();
    }

    private static boolean isPublished(String artifact) throws IOException {
        Path pom = ROOT.resolve(artifact).resolve("pom.xml");
        return Files.exists(pom) && !Files.readString(pom).contains(NOT_PUBLISHED);
    }
}
