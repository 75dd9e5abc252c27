package io.weirmq.storage.internal.segment;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is known to be damaged of a segment. Immutable.
 *
 * @param all in no particular order; few, so that they are gone through
 */
public record Damages(List<Damage> all) {

  /** No damage is known. */
  static final Damages NONE = new Damages(List.of());

  public Damages {
    all = List.copyOf(all);
  }

  /** The damage that begins at a position; null where none is known. */
  @Nullable Damage startingAt(int position) {
    for (Damage damage : all) {
      if (damage.position() == position) {
        return damage;
      }
    }
    return null;
  }

  /** The damage that ends at a position; null where none is known. */
  public @Nullable Damage endingAt(int position) {
    for (Damage damage : all) {
      if (damage.endPosition() == position) {
        return damage;
      }
    }
    return null;
  }

  /** These and another one. */
  Damages with(Damage damage) {
    List<Damage> more = new ArrayList<>(all);
    more.add(damage);
    return new Damages(more);
  }

  /** Those that begin below a position. */
  Damages below(int end) {
    return new Damages(all.stream().filter(damage -> damage.position() < end).toList());
  }
}
