package io.weirmq.server.internal.admin;

import io.weirmq.protocol.ErrorCode;
import io.weirmq.replication.metadata.MetadataChangeException;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The outcome of an administrative act, as a client is told. Immutable.
 *
 * @param code the error code, {@link ErrorCode#NONE} for success
 * @param message what is wrong, for people; null for success
 */
public record AdminError(ErrorCode code, @Nullable String message) {

  /** All went well. */
  public static final AdminError NONE = new AdminError(ErrorCode.NONE, null);

  private static final Logger LOG = LoggerFactory.getLogger(AdminError.class);

  /** Whether it stands for success. */
  public boolean isNone() {
    return code == ErrorCode.NONE;
  }

  /** Returns the error of a failed act; what nobody expected is logged. */
  public static AdminError of(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause instanceof RefusedException refused) {
      return refused.error();
    }
    if (cause instanceof MetadataChangeException change) {
      return new AdminError(code(change.reason()), change.getMessage());
    }
    LOG.error("administrative request failed", cause);
    return new AdminError(ErrorCode.UNKNOWN_SERVER_ERROR, ErrorCode.UNKNOWN_SERVER_ERROR.text());
  }

  private static ErrorCode code(MetadataChangeException.Reason reason) {
    return switch (reason) {
      case TOPIC_EXISTS -> ErrorCode.TOPIC_ALREADY_EXISTS;
      case UNKNOWN_TOPIC -> ErrorCode.UNKNOWN_TOPIC_ID;
      case UNKNOWN_PARTITION -> ErrorCode.UNKNOWN_TOPIC_OR_PARTITION;
      case CONFLICT, OVERLOADED -> ErrorCode.REQUEST_TIMED_OUT;
      case STORAGE_FAILED -> ErrorCode.KAFKA_STORAGE_ERROR;
      case CLOSED -> ErrorCode.NOT_CONTROLLER;
    };
  }
}
