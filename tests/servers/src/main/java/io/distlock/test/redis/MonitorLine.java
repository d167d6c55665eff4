package io.distlock.test.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A line that MONITOR prints, such as {@code 1700000000.000001 [0 127.0.0.1:50000] "set" "key" "a \"quoted\" value"}.
 *
 * @param fromScript whether a script calls the command; {@code lua} then stands where the client's address would
 * @param command the command
 */
record MonitorLine(boolean fromScript, RecordedCommand command) {

    private static final Pattern LINE =
            Pattern.compile("[\\d.]+ \\[\\d+ (?<client>\\S+)] (?<words>.*)", Pattern.DOTALL);
    // Possessive, because a repeated choice takes stack for each letter, and scripts are long.
    private static final Pattern WORD = Pattern.compile("\"((?:[^\"\\\\]++|\\\\.)*+)\"");
    private static final Pattern ESCAPE = Pattern.compile("\\\\(?:x([0-9a-f]{2})|(.))");

    static MonitorLine parse(String text) {
        Matcher line = LINE.matcher(text);
        if (!line.matches()) {
            throw new IllegalArgumentException("not a line of MONITOR: " + text);
        }
        String client = line.group("client");
        return new MonitorLine(client.equals("lua"), new RecordedCommand(client, words(line.group("words"))));
    }

    private static List<String> words(String quoted) {
        List<String> words = new ArrayList<>();
        Matcher word = WORD.matcher(quoted);
        while (word.find()) {
            words.add(unescaped(word.group(1)));
        }
        return words;
    }

    /** Bytes above ASCII come as {@code \xhh}, each as one character here: good enough to recognise a command by. */
    private static String unescaped(String word) {
        return ESCAPE.matcher(word).replaceAll(escape -> {
            String hex = escape.group(1);
            String literal = hex == null ? plain(escape.group(2)) : String.valueOf((char) Integer.parseInt(hex, 16));
            return Matcher.quoteReplacement(literal);
        });
    }

    private static String plain(String letter) {
        return switch (letter) {
            case "n" -> "\n";
            case "r" -> "\r";
            case "t" -> "\t";
            case "a" -> "\u0007";
            case "b" -> "\b";
            default -> letter;
        };
    }
}
