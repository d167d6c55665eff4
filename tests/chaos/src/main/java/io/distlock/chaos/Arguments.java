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
 * @param seeds with which seeds
 * @param untilBroken whether a campaign ends as soon as a promise is broken
 * @param page whether the figures go on the page
 */
record Arguments(List<String> providers, Duration duration, List<Long> seeds, boolean untilBroken, boolean page) {

    private static final int SEEDS = 1_000_000;
    private static final String USAGE =
            "scripts/chaos [provider ...] [--minutes M] [--seed S ...] [--until-broken] [--page]; providers: "
                    + String.join(", ", Stores.PROVIDERS);

    static Arguments of(List<String> words) {
        List<String> providers = new ArrayList<>();
        Duration duration = Duration.ofMinutes(1);
        List<Long> seeds = new ArrayList<>();
        boolean untilBroken = false;
        boolean page = false;
        Iterator<String> rest = words.iterator();
        while (rest.hasNext()) {
            String word = rest.next();
            switch (word) {
                case "--minutes" -> duration = Duration.ofMillis((long) (number(rest, word) * 60_000));
                case "--seed" -> seeds.add((long) number(rest, word));
                case "--until-broken" -> untilBroken = true;
                case "--page" -> page = true;
                default -> providers.add(provider(word));
            }
        }
        if (seeds.isEmpty()) {
            seeds.add((long) RandomGenerator.getDefault().nextInt(SEEDS));
        }
        List<String> chosen = providers.isEmpty() ? Stores.PROVIDERS : List.copyOf(providers);
        return new Arguments(chosen, duration, List.copyOf(seeds), untilBroken, page);
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
