package io.distlock.support;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.slf4j.LoggerFactory;

/** What this package logs while it is open, from INFO on. */
final class LogCapture implements AutoCloseable {

    private final Logger logger = (Logger) LoggerFactory.getLogger("io.distlock.support");
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    LogCapture() {
        log.start();
        logger.setLevel(Level.INFO);
        logger.addAppender(log);
    }

    List<String> messages() {
        return log.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Override
    public void close() {
        logger.detachAppender(log);
        logger.setLevel(null);
    }
}
