package io.weirmq.storage.internal.validate;

import io.weirmq.storage.AppendResult;
import io.weirmq.storage.internal.ValidatedBatch;

/** What the validation of a batch came to. */
public sealed interface ValidationOutcome {

  /**
   * The batch may go to the log.
   *
   * @param batch with what was learned of it
   */
  record Valid(ValidatedBatch batch) implements ValidationOutcome {}

  /**
   * The batch breaks a rule.
   *
   * @param rejection what its sender is told
   */
  record Invalid(AppendResult.Rejected rejection) implements ValidationOutcome {}
}
