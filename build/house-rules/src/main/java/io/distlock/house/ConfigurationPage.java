package io.distlock.house;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The documentation's page of all properties, compared with the metadata that is on the class path. */
public final class ConfigurationPage {

    private static final String METADATA = "META-INF/spring-configuration-metadata.json";
    private static final Pattern NAME = Pattern.compile("\"name\": \"([^\"]+)\"");
    private static final Pattern DEFAULT = Pattern.compile("\"defaultValue\": (?:\\[\\s*)?\"?([^\",\\]\\s]+)");
    private static final Pattern OURS = Pattern.compile(
            "(distributed-lock|management\\.endpoint\\.locks" + "|management\\.health\\.distributed-lock)\\..*");

    private final List<String> rows;

    private record Property(String name, Optional<String> defaultValue, boolean isDescribed) {}

    public ConfigurationPage(Path page) throws IOException {
        this.rows = Files.readAllLines(page).stream()
                .filter(line -> line.startsWith("| `"))
                .toList();
    }

    /**
     * What the page should say and does not: for each property a row that begins with its name and ends with its default. Also
     * each property that the metadata does not describe.
     */
    public List<String> mistakes() throws IOException {
        List<String> mistakes = new ArrayList<>();
        List<Property> all = properties();
        for (Property property : all) {
            String start = "| `" + property.name() + "` |";
            Optional<String> row =
                    rows.stream().filter(line -> line.startsWith(start)).findFirst();
            if (row.isEmpty()) {
                mistakes.add(property.name() + " is missing");
            } else {
                property.defaultValue()
                        .filter(value -> !row.get().endsWith("| `" + value + "` |"))
                        .ifPresent(value -> mistakes.add(property.name() + " has the default " + value));
            }
            if (!property.isDescribed()) {
                mistakes.add(property.name() + " has no description, which editors would show");
            }
        }
        return all.isEmpty() ? List.of("no metadata is on the class path") : mistakes;
    }

    private static List<Property> properties() throws IOException {
        List<Property> properties = new ArrayList<>();
        for (URL file :
                Collections.list(ConfigurationPage.class.getClassLoader().getResources(METADATA))) {
            properties.addAll(properties(text(file)));
        }
        return properties;
    }

    private static String text(URL file) throws IOException {
        try (InputStream in = file.openStream()) {
            // The processor writes a slash with a backslash before it.
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).replace("\\/", "/");
        }
    }

    /** Boot's processor writes one attribute to a line, the name first. */
    private static List<Property> properties(String json) {
        List<Property> properties = new ArrayList<>();
        int end = json.indexOf("\"hints\": [");
        String all = json.substring(json.indexOf("\"properties\": ["), end < 0 ? json.length() : end);
        Matcher name = NAME.matcher(all);
        while (name.find()) {
            if (OURS.matcher(name.group(1)).matches()) {
                int next = all.indexOf("\"name\": ", name.end());
                String attributes = all.substring(name.end(), next < 0 ? all.length() : next);
                Matcher value = DEFAULT.matcher(attributes);
                properties.add(new Property(
                        name.group(1),
                        value.find() ? Optional.of(value.group(1)) : Optional.empty(),
                        attributes.contains("\"description\": ")));
            }
        }
        return properties;
    }
}
