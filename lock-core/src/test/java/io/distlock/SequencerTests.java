package io.distlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class SequencerTests {

    @ParameterizedTest
    @EnumSource(LockMode.class)
    void itsTextIsParsed(LockMode mode) {
        for (LockKey key : new LockKey[] {LockKey.of("orders"), LockKey.of("or;ders", "4;2 %:/é")}) {
            Sequencer sequencer = new Sequencer(key, mode, new FencingToken(Long.MAX_VALUE));
            assertThat(Sequencer.parse(sequencer.text())).isEqualTo(sequencer);
        }
    }

    @Test
    void aKeyThatIsEncodedInFullIsParsed() {
        assertThat(Sequencer.parse("12;shared;%6f:%34"))
                .isEqualTo(new Sequencer(LockKey.of("o", "4"), LockMode.SHARED, new FencingToken(12)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "12",
                "12;shared",
                "12;shared;",
                ";shared;orders",
                "+12;shared;orders",
                "-12;shared;orders",
                "0;shared;orders",
                "012;shared;orders",
                " 12;shared;orders",
                "\u0661\u0662;shared;orders",
                "9223372036854775808;shared;orders",
                "12;SHARED;orders",
                "12;\u017fhared;orders",
                "12;reading;orders",
                "12;shared;orders:%4"
            })
    void anythingElseIsRefused(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Sequencer.parse(text))
                .withMessage("\"" + text + "\" is not a sequencer: expected <token>;<exclusive|shared>;<key>");
    }
}
