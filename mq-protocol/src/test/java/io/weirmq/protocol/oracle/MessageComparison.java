package io.weirmq.protocol.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.weirmq.protocol.RecordsData;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** Compares a message of ours with one of the oracle getter by getter. */
final class MessageComparison {

  private static final Set<String> NO_FIELDS =
      Set.of("lowestVersion", "highestVersion", "hashCode", "toString", "isDefault");

  private MessageComparison() {}

  /** Fails where a getter of ours has another value than the oracle's getter of the same name. */
  static void assertSame(String path, Object ours, Object theirs) {
    int compared = 0;
    for (Method getter : ours.getClass().getDeclaredMethods()) {
      if (isFieldGetter(getter)) {
        String field = path + "." + getter.getName();
        assertSameValue(field, call(getter, ours), call(oracleGetter(theirs, getter), theirs));
        compared++;
      }
    }
    assertThat(compared)
        .as("getters of %s compared", path)
        .isEqualTo((int) fieldCount(ours.getClass()));
  }

  private static long fieldCount(Class<?> type) {
    return List.of(type.getDeclaredFields()).stream()
        .filter(field -> !Modifier.isStatic(field.getModifiers()))
        .count();
  }

  private static boolean isFieldGetter(Method method) {
    return Modifier.isPublic(method.getModifiers())
        && method.getParameterCount() == 0
        && !NO_FIELDS.contains(method.getName())
        && !isPresenceTest(method);
  }

  private static boolean isPresenceTest(Method method) {
    return method.getName().matches("has[A-Z].*") && method.getReturnType() == boolean.class;
  }

  private static Method oracleGetter(Object theirs, Method getter) {
    try {
      return theirs.getClass().getMethod(getter.getName());
    } catch (NoSuchMethodException e) {
      throw new LinkageError("the oracle has no " + getter.getName(), e);
    }
  }

  private static Object call(Method getter, Object target) {
    try {
      return getter.invoke(target);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(getter.toString(), e);
    }
  }

  private static void assertSameValue(String path, Object ours, Object theirs) {
    if (ours == null || theirs == null) {
      assertThat(ours).as(path).isEqualTo(theirs);
    } else if (ours instanceof List<?> list) {
      assertSameElements(path, list, (Collection<?>) theirs);
    } else if (ours instanceof UUID id) {
      Uuid uuid = (Uuid) theirs;
      assertThat(id)
          .as(path)
          .isEqualTo(new UUID(uuid.getMostSignificantBits(), uuid.getLeastSignificantBits()));
    } else if (ours instanceof byte[] bytes) {
      ByteBuffer expected =
          theirs instanceof ByteBuffer buffer ? buffer : ByteBuffer.wrap((byte[]) theirs);
      assertThat(ByteBuffer.wrap(bytes)).as(path).isEqualTo(expected);
    } else if (ours instanceof RecordsData.Buffers records) {
      assertThat(join(records)).as(path).isEqualTo(((MemoryRecords) theirs).buffer());
    } else if (ours.getClass().getName().startsWith("io.weirmq.")) {
      assertSame(path, ours, theirs);
    } else {
      assertThat(ours).as(path).isEqualTo(theirs);
    }
  }

  private static ByteBuffer join(RecordsData.Buffers records) {
    ByteBuffer all = ByteBuffer.allocate((int) records.sizeInBytes());
    records.buffers().forEach(buffer -> all.put(buffer.duplicate()));
    return all.flip();
  }

  private static void assertSameElements(String path, List<?> ours, Collection<?> theirs) {
    assertThat(ours).as(path).hasSize(theirs.size());
    Iterator<?> expected = theirs.iterator();
    for (int i = 0; i < ours.size(); i++) {
      assertSameValue(path + "[" + i + "]", ours.get(i), expected.next());
    }
  }
}
