package io.distlock.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalIoHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FlushConsolidatorTests {

    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, LocalIoHandler.newFactory());
    private final Channel channel = new LocalChannel();
    private final List<String> sent = new ArrayList<>();
    private final List<Channel> customized = new ArrayList<>();
    private final LettuceOptions.FlushConsolidator flushes =
            new LettuceOptions.FlushConsolidator(new NettyCustomizer() {
                @Override
                public void afterChannelInitialized(Channel made) {
                    customized.add(made);
                }
            });

    @BeforeEach
    void open() throws Exception {
        loops.register(channel).sync();
        onItsThread(() -> {
            flushes.afterChannelInitialized(channel);
            channel.pipeline().addFirst(new Network());
        });
    }

    @AfterEach
    void close() {
        loops.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
    }

    @Test
    void aCallThatIsAloneLeavesAtOnce() throws Exception {
        List<String> meanwhile = new ArrayList<>();
        onItsThread(() -> {
            call();
            meanwhile.addAll(sent);
        });
        assertThat(meanwhile).containsExactly("call", "flush");
    }

    @Test
    void callsThatAreMadeTogetherLeaveTogether() throws Exception {
        onItsThread(() -> callsOfOthers(3));
        assertThat(sentByNow()).containsExactly("call", "call", "call", "flush");
    }

    @Test
    void theServerHasSomethingToDoWhileManyCallsAreWritten() throws Exception {
        onItsThread(() -> callsOfOthers(32));
        assertThat(sentByNow().stream().filter("flush"::equals)).hasSize(4);
    }

    @Test
    void aCallLeavesWhenThoseBehindItHaveNothingToSend() throws Exception {
        onItsThread(() -> {
            channel.eventLoop().execute(() -> sent.add("something else"));
            call();
        });
        assertThat(sentByNow()).containsExactly("call", "something else", "flush");
    }

    @Test
    void whatWasPutOffLeavesBeforeTheConnectionIsClosed() throws Exception {
        onItsThread(() -> {
            channel.eventLoop().execute(() -> {});
            call();
            channel.close();
        });
        assertThat(sentByNow()).containsExactly("call", "flush", "close");
    }

    @Test
    void whatTheApplicationCustomizesStaysCustomized() {
        assertThat(customized).containsExactly(channel);
    }

    @Test
    void aThreadThatDoesNotTellOfItsQueueIsLeftAsItIs() {
        EmbeddedChannel other = new EmbeddedChannel();
        List<String> before = other.pipeline().names();
        flushes.afterChannelInitialized(other);
        assertThat(other.pipeline().names()).isEqualTo(before);
        assertThat(customized).contains(other);
    }

    private void call() {
        channel.pipeline().writeAndFlush("call");
    }

    /** Each by a task of its own; all of them stand in the queue before the first one is written. */
    private void callsOfOthers(int calls) {
        for (int call = 0; call < calls; call++) {
            channel.eventLoop().execute(this::call);
        }
    }

    private void onItsThread(Runnable task) throws Exception {
        channel.eventLoop().submit(task).sync();
    }

    /** Once all that stood in the queue has been done, and what that put there. */
    private List<String> sentByNow() throws Exception {
        onItsThread(() -> {});
        onItsThread(() -> {});
        return sent;
    }

    /** Takes everything itself. */
    private final class Network extends ChannelOutboundHandlerAdapter {

        @Override
        public void write(ChannelHandlerContext context, Object call, ChannelPromise promise) {
            sent.add("call");
            promise.setSuccess();
        }

        @Override
        public void flush(ChannelHandlerContext context) {
            sent.add("flush");
        }

        @Override
        public void close(ChannelHandlerContext context, ChannelPromise promise) {
            sent.add("close");
            context.close(promise);
        }
    }
}
