package io.distlock.spring.interceptor;

import io.distlock.LockClient;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockOptions;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockClients;
import io.distlock.spring.OnNotAcquired;
import io.distlock.spring.UnknownLockProviderException;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.MergedAnnotation;

/** Makes a {@link LockOperation} of an annotation, or says all that is wrong with it. Thread-safe. */
final class LockOperationParser {

    private final ConfigurableListableBeanFactory beans;
    private final ObjectProvider<LockClients> clients;
    private final KeyExpressions keyExpressions;

    LockOperationParser(ConfigurableListableBeanFactory beans, ObjectProvider<LockClients> clients) {
        this.beans = beans;
        this.clients = clients;
        this.keyExpressions = new KeyExpressions(beans);
    }

    LockOperation parse(LockedMethod method) {
        Problems problems = new Problems(method);
        MergedAnnotation<DistributedLock> annotation = method.annotation();
        TextAttributes texts = new TextAttributes(annotation, beans::resolveEmbeddedValue, problems);
        OnNotAcquired onNotAcquired = annotation.getEnum("onNotAcquired", OnNotAcquired.class);
        MethodResults results = MethodResults.check(method, onNotAcquired, problems);
        Optional<LockClient> client = client(texts, problems);
        Optional<LockOptions> options = OptionAttributes.read(
                texts,
                annotation.getBoolean("renew"),
                client.map(LockClient::options).orElseGet(LockOptions::defaults),
                problems);
        Optional<Function<LockedCall, List<LockKey>>> keys = keys(method, texts, problems);
        problems.throwIfAny();
        return new LockOperation(
                client.orElseThrow(),
                keys.orElseThrow(),
                annotation.getEnum("mode", LockMode.class),
                options.orElseThrow(),
                onNotAcquired,
                results);
    }

    private Optional<LockClient> client(TextAttributes texts, Problems problems) {
        String provider = texts.text("provider").orElse("");
        LockClients known = clients.getObject();
        try {
            return Optional.of(provider.isEmpty() ? known.primary() : known.get(provider));
        } catch (UnknownLockProviderException unknown) {
            problems.add(
                    "provider",
                    String.valueOf(unknown.getMessage()),
                    "Name one of these, or add and configure the module that brings it");
            return Optional.empty();
        }
    }

    private Optional<Function<LockedCall, List<LockKey>>> keys(
            LockedMethod method, TextAttributes texts, Problems problems) {
        Optional<String> name = texts.text("name")
                .map(text -> text.isEmpty() ? method.defaultName() : text)
                .flatMap(text -> problems.trying(
                        "name",
                        "Give a name that a lock can have",
                        () -> LockKey.of(text).name()));
        // Not resolved: "$" and "{" have a meaning of their own in an expression.
        String expression = method.annotation().getString("key");
        if (expression.isBlank()) {
            return name.map(LockKey::of).map(List::of).map(fixed -> call -> fixed);
        }
        Optional<KeyExpression> parsed = keyExpressions.parse(expression, method, problems);
        return name.flatMap(text -> parsed.map(key -> call -> key.keys(text, call)));
    }
}
