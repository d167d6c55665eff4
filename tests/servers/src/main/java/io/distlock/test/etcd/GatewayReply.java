package io.distlock.test.etcd;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/** What the gateway answers. Numbers come as strings, bytes in Base64, and what is zero or empty does not come at all. */
record GatewayReply(JsonObject json) {

    static GatewayReply parse(String body) {
        return new GatewayReply(JsonParser.parseString(body).getAsJsonObject());
    }

    String text(String field) {
        return find(field).map(JsonElement::getAsString).orElse("");
    }

    long number(String field) {
        return find(field).map(JsonElement::getAsLong).orElse(0L);
    }

    String bytes(String field) {
        return new String(Base64.getDecoder().decode(text(field)), StandardCharsets.UTF_8);
    }

    GatewayReply object(String field) {
        return new GatewayReply(find(field).map(JsonElement::getAsJsonObject).orElseGet(JsonObject::new));
    }

    List<GatewayReply> items(String field) {
        return elements(field).stream()
                .map(each -> new GatewayReply(each.getAsJsonObject()))
                .toList();
    }

    List<JsonElement> elements(String field) {
        return find(field).map(each -> each.getAsJsonArray().asList()).orElse(List.of());
    }

    private Optional<JsonElement> find(String field) {
        return Optional.ofNullable(json.get(field));
    }
}
