package io.distlock.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LuaScriptTests {

    /** To a restart guard, a server that knows the script under another digest has not been admitted. */
    @ParameterizedTest
    @ValueSource(strings = {"acquire-exclusive", "acquire-shared", "renew", "restore-grant", "raise-token"})
    void aScriptIsSentWithoutItsComments(String name) {
        assertThat(LuaScript.named(name).text()).isNotBlank().doesNotContain("--");
    }
}
