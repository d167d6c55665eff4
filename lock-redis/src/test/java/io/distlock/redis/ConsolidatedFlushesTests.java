package io.distlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ConsolidatedFlushesTests {

    private final Network network = new Network();
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
        channel.pipeline().addFirst(network);
    }

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    @Test
    void callsThatAreMadeTogetherLeaveTogether() {
        callAtOnce(3);
        assertThat(network.flushes).isOne();
        assertThat(network.calls).isEqualTo(3);
    }

    @Test
    void aCallThatIsAloneLeavesWithTheNextTaskOfItsThread() {
        callAtOnce(1);
        assertThat(network.calls).isOne();
        assertThat(network.flushes).isOne();
    }

    @Test
    void theServerHasSomethingToDoWhileManyCallsAreWritten() {
        callAtOnce(32);
        assertThat(network.flushes).isEqualTo(4);
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

    /** Takes everything itself: that of the embedded channel runs waiting tasks in the midst of a write. */
    private static final class Network extends ChannelOutboundHandlerAdapter {

        private int calls;
        private int flushes;

        @Override
        public void write(ChannelHandlerContext context, Object call, ChannelPromise promise) {
            calls++;
            promise.setSuccess();
        }

        @Override
        public void flush(ChannelHandlerContext context) {
            flushes++;
        }
    }
}
