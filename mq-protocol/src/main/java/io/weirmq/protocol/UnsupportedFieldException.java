package io.weirmq.protocol;

import java.io.Serial;

/** The caller set a field to a value that the version to be written cannot carry. */
public final class UnsupportedFieldException extends IllegalArgumentException {

  @Serial private static final long serialVersionUID = 1L;

  /**
   * Makes one for a field that does not exist in the version, and that may not be dropped.
   *
   * @param field the struct's and the field's name
   */
  public UnsupportedFieldException(String field, int version) {
    this("field %s has a value, but version %d cannot carry it".formatted(field, version));
  }

  private UnsupportedFieldException(String message) {
    super(message);
  }

  /** Makes one for a null where the version does not allow null. */
  public static UnsupportedFieldException forNull(String field, int version) {
    return new UnsupportedFieldException(
        "field %s is null, which version %d cannot carry".formatted(field, version));
  }
}
