package io.distlock.chaos;

import io.distlock.chaos.store.Stores;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * What is to be run.
 *
 * @param providers against which providers, in this order
 * @param duration how long each
 * @param seed with which seed
 */
record Arguments(List<String> providers, Duration duration, long seed) {

    private static final int SEEDS = 1_000_000;
    private static final String USAGE =
            "scripts/chaos [provider ...] [--minutes M] [--seed S]; providers: " + String.join(", ", Stores.PROVIDERS);

    static Arguments of(List<String> words) {
        List<String> providers = new ArrayList<>();
        Duration duration = Duration.ofMinutes(1);
        long seed = RandomGenerator.getDefault().nextInt(SEEDS);
        Iterator<String> rest = words.iterator();
        while (rest.hasNext()) {
            String word = rest.next();
            switch (word) {
                case "--minutes" -> duration = Duration.ofMillis((long) (number(rest, word) * 60_000));
                case "--seed" -> seed = (long) number(rest, word);
                default -> providers.add(provider(word));
            }
        }
        return new Arguments(providers.isEmpty() ? Stores.PROVIDERS : List.copyOf(providers), duration, seed);
    }

    private static String provider(String word) {
        if (!Stores.PROVIDERS.contains(word)) {
            throw new IllegalArgumentException("not understood: %s%n%s".formatted(word, USAGE));
        }
        return word;
    }

    private static double number(Iterator<String> rest, String option) {
        try {
            double number = Double.parseDouble(rest.hasNext() ? rest.next() : "");
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException none) {
            // Said below.
        }
        throw new IllegalArgumentException("%s takes a number%n%s".formatted(option, USAGE));
    }
}
