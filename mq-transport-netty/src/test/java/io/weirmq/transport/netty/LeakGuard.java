package io.weirmq.transport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test class that has lost a pooled buffer. The tests run with leak detection at its most
 * thorough, which sees a lost buffer once it was collected and another one is allocated.
 */
public final class LeakGuard implements BeforeAllCallback, AfterAllCallback {

  private final List<String> leaks = new CopyOnWriteArrayList<>();

  @Override
  public void beforeAll(ExtensionContext context) {
    ByteBufUtil.setLeakListener((type, records) -> leaks.add(type + "\n" + records));
  }

  @Override
  public void afterAll(ExtensionContext context) {
    for (int i = 0; i < 3; i++) {
      System.gc();
      PooledByteBufAllocator.DEFAULT.directBuffer(1).release();
    }
    assertThat(leaks).as("leaked buffers").isEmpty();
  }
}
