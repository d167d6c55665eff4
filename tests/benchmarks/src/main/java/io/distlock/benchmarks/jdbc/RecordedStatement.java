package io.distlock.benchmarks.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * A statement that somebody has prepared.
 *
 * @param values of its parameters, by their position
 */
record RecordedStatement(String sql, Map<Integer, Object> values) {

    /** The first parameter that contains a word. */
    Optional<String> textWith(String word) {
        return text(each -> each.contains(word));
    }

    /** The first that does not. */
    Optional<String> textWithout(String word) {
        return text(each -> !each.contains(word));
    }

    private Optional<String> text(Predicate<String> wanted) {
        return values.values().stream()
                .map(each -> each instanceof Object[] one ? one[0] : each)
                .filter(String.class::isInstance)
                .map(String.class::cast)
                .filter(wanted)
                .findFirst();
    }

    /** Prepares it again, with some values replaced. */
    PreparedStatement on(Connection connection, Map<Object, Object> instead) throws SQLException {
        PreparedStatement prepared = connection.prepareStatement(sql);
        for (Map.Entry<Integer, Object> each : values.entrySet()) {
            prepared.setObject(each.getKey(), replaced(each.getValue(), instead));
        }
        return prepared;
    }

    /** Requests that share a statement have lists of values; here, of one. */
    private static Object replaced(Object value, Map<Object, Object> instead) {
        if (value instanceof Object[] all) {
            Object[] others = all.clone();
            Arrays.setAll(others, at -> replaced(all[at], instead));
            return others;
        }
        return instead.getOrDefault(value, value);
    }

    /** Records what is prepared on the connections of another data source. Thread-safe. */
    static final class Recorder extends DelegatingDataSource {

        private final List<RecordedStatement> statements = new CopyOnWriteArrayList<>();

        Recorder(DataSource recorded) {
            super(recorded);
        }

        void clear() {
            statements.clear();
        }

        /** Those that have a parameter with this word. */
        List<RecordedStatement> statementsWith(String word) {
            return statements.stream()
                    .filter(each -> each.textWith(word).isPresent())
                    .toList();
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection connection = super.getConnection();
            return proxy(Connection.class, connection, (method, arguments, answer) -> {
                if (!method.getName().equals("prepareStatement")) {
                    return answer;
                }
                RecordedStatement statement = new RecordedStatement((String) arguments[0], new TreeMap<>());
                statements.add(statement);
                return proxy(PreparedStatement.class, answer, (setter, value, nothing) -> {
                    if (setter.getName().startsWith("set") && setter.getParameterCount() > 1) {
                        statement.values.put((Integer) value[0], value[1]);
                    }
                    return nothing;
                });
            });
        }

        /** What becomes of an answer. */
        @FunctionalInterface
        private interface Answers {

            Object answer(Method method, Object[] arguments, Object answer);
        }

        private static <T> T proxy(Class<T> type, Object target, Answers answers) {
            InvocationHandler handler = (proxy, method, arguments) -> {
                try {
                    return answers.answer(method, arguments, method.invoke(target, arguments));
                } catch (InvocationTargetException failure) {
                    throw failure.getCause();
                }
            };
            return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
        }
    }
}
