package io.distlock.documents;

import java.io.IOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.boot.env.PropertiesPropertySourceLoader;
import org.springframework.boot.env.PropertySourceLoader;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.convert.ConversionException;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.util.ClassUtils;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** The properties that Boot and this project know, by the metadata on the class path. */
final class Settings {

    private static final String METADATA = "META-INF/spring-configuration-metadata.json";

    /** Blocks for Docker Compose begin with it. */
    private static final String COMPOSE = "services.";

    private final Map<String, Property> properties = new TreeMap<>();

    private record Property(String name, String type, boolean deprecated) {

        boolean isMap() {
            return type.startsWith("java.util.Map") || type.equals("java.util.Properties");
        }

        /** What is wrong with a value for it, if anything. */
        Optional<String> refusal(Object value) {
            String raw = type.replaceAll("<.*", "");
            if (value.toString().contains("${") || isMap() || !ClassUtils.isPresent(raw, null)) {
                return Optional.empty();
            }
            try {
                ApplicationConversionService.getSharedInstance().convert(value, ClassUtils.forName(raw, null));
                return Optional.empty();
            } catch (ConversionException | ReflectiveOperationException refused) {
                return Optional.of("%s: %s is no %s".formatted(name, value, raw));
            }
        }
    }

    Settings() throws IOException {
        ObjectMapper json = new ObjectMapper();
        for (URL file : Collections.list(getClass().getClassLoader().getResources(METADATA))) {
            try (var in = file.openStream()) {
                for (JsonNode each : json.readTree(in).path("properties")) {
                    String name = each.path("name").asString();
                    properties.put(
                            name,
                            new Property(
                                    name,
                                    each.path("type").asString("java.lang.String"),
                                    each.has("deprecation") || each.has("deprecated")));
                }
            }
        }
    }

    /** What an application with these settings would not understand. */
    List<String> problems(CodeBlock block) throws IOException {
        PropertySourceLoader loader = block.language().equals("properties")
                ? new PropertiesPropertySourceLoader()
                : new YamlPropertySourceLoader();
        List<String> problems = new ArrayList<>();
        for (PropertySource<?> each :
                loader.load("block", new ByteArrayResource(block.text().getBytes(StandardCharsets.UTF_8)))) {
            EnumerablePropertySource<?> source = (EnumerablePropertySource<?>) each;
            for (String name : source.getPropertyNames()) {
                if (!name.startsWith(COMPOSE)) {
                    problem(name, source.getProperty(name)).ifPresent(what -> problems.add(block.problem(1, what)));
                }
            }
        }
        return problems;
    }

    private Optional<String> problem(String name, Object value) {
        String plain = name.replaceAll("\\[\\d+]", "");
        Property property = properties.get(plain);
        if (property == null) {
            return isInMap(plain) ? Optional.empty() : Optional.of("no property is named " + name);
        }
        if (property.deprecated()) {
            return Optional.of(name + " is deprecated");
        }
        return property.refusal(value);
    }

    private boolean isInMap(String name) {
        return properties.values().stream().anyMatch(each -> each.isMap() && name.startsWith(each.name() + '.'));
    }
}
