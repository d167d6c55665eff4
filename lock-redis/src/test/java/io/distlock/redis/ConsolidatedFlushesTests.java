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
        callAtOnce(3);
        assertThat(flushes.count).isOne();
        assertThat(channel.outboundMessages()).hasSize(3);
    }

    @Test
    void aCallThatIsAloneLeavesWithTheNextTaskOfItsThread() {
        callAtOnce(1);
        assertThat(channel.outboundMessages()).hasSize(1);
    }

    @Test
    void theServerHasSomethingToDoWhileManyCallsAreWritten() {
        callAtOnce(32);
        assertThat(flushes.count).isEqualTo(4);
    }

    @Test
    void whatTheApplicationCustomizesStaysCustomized() {
        assertThat(customized).containsExactly(channel);
    }

    /** So that all of them stand in the queue of the channel's thread before the first is written. */
    private void callAtOnce(int calls) {
        for (int call = 0; call < calls; call++) {
            channel.eventLoop().execute(() -> channel.pipeline().writeAndFlush("call"));
        }
        channel.runPendingTasks();
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
