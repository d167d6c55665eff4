package io.distlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ConsolidatedFlushesTests {

    private final Flushes flushes = new Flushes();
    private final List<Channel> customized = new ArrayList<>();
    private final EmbeddedChannel channel = new EmbeddedChannel();

    ConsolidatedFlushesTests() {
        new ConsolidatedFlushes(new NettyCustomizer() {
                    @Override
                    public void afterChannelInitialized(Channel made) {
                        customized.add(made);
                    }
                })
                .afterChannelInitialized(channel);
        // Nearer to the network, where they are counted.
        channel.pipeline().addFirst(flushes);
    }

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    @Test
    void callsThatAreMadeTogetherLeaveTogether() {
        for (int call = 0; call < 3; call++) {
            channel.writeAndFlush("call");
        }
        channel.runPendingTasks();
        assertThat(flushes.count).isOne();
        assertThat(channel.outboundMessages()).hasSize(3);
    }

    @Test
    void aCallThatIsAloneLeavesWithTheNextTaskOfItsThread() {
        channel.writeAndFlush("call");
        channel.runPendingTasks();
        assertThat(channel.outboundMessages()).hasSize(1);
    }

    @Test
    void theServerHasSomethingToDoWhileManyCallsAreWritten() {
        for (int call = 0; call < 32; call++) {
            channel.writeAndFlush("call");
        }
        assertThat(flushes.count).isEqualTo(4);
    }

    @Test
    void whatTheApplicationCustomizesStaysCustomized() {
        assertThat(customized).containsExactly(channel);
    }

    private static final class Flushes extends ChannelOutboundHandlerAdapter {

        private int count;

        @Override
        public void flush(ChannelHandlerContext context) {
            count++;
            context.flush();
        }
    }
}
