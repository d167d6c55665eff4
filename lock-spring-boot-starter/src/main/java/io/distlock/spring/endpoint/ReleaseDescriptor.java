package io.distlock.spring.endpoint;

import io.distlock.Release;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * What came of taking a lock away.
 *
 * @param release what the store said
 */
public record ReleaseDescriptor(Release release) implements OperationResponseBody {}
