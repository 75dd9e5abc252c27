package io.weirmq.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.weirmq.protocol.ErrorCode;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** A data folder that is another one than at the last start, as where a disk is not mounted. */
class LostFoldersTest {

  private static final int PARTITIONS = 6;

  @TempDir static Path temporary;

  private final Path home = temporary.resolve(UUID.randomUUID().toString());
  private final Path first = home.resolve("first");
  private final Path second = home.resolve("second");
  private final Path third = home.resolve("third");
  private final Path aside = home.resolve("aside");
  private final Path memory = first.resolve("weirmq-data-folders");

  private final Logger logger = (Logger) LoggerFactory.getLogger("io.weirmq.server.internal");
  private final ListAppender<ILoggingEvent> told = new ListAppender<>();

  @BeforeEach
  void fill() throws Exception {
    told.start();
    logger.addAppender(told);
    try (Broker broker = broker().start();
        RawClient client = RawClient.connect(broker.boundPort())) {
      TestBroker.createTopic(broker.boundPort(), "spread", PARTITIONS, Map.of());
      for (int partition = 0; partition < PARTITIONS; partition++) {
        assertThat(produce(client, partition, "p" + partition)).isZero();
      }
    }
    assertThat(inThird()).as("partitions in each of three folders").hasSize(PARTITIONS / 3);
  }

  @AfterEach
  void stopListening() {
    logger.detachAppender(told);
  }

  @Test
  void theFirstStartRemembersIdAndPathOfEachFolder() throws Exception {
    List<String> lines = Files.readAllLines(memory);
    assertThat(lines).hasSize(4);
    assertThat(lines.get(0)).isEqualTo("weirmq-data-folders 1");
    List<Path> folders = List.of(first, second, third);
    for (int i = 0; i < folders.size(); i++) {
      assertThat(lines.get(i + 1))
          .endsWith(" " + directoryId(folders.get(i)) + " " + folders.get(i));
    }
    assertThat(told("WARN")).isEmpty();
  }

  @Test
  void partitionsOfAFolderThatIsEmptyNowAreOffline_andBackWithIt() throws Exception {
    List<Integer> lost = inThird();
    String expected = directoryId(third);
    String remembered = Files.readString(memory);
    Files.move(third, aside);

    for (int start = 0; start < 2; start++) {
      told.list.clear();
      try (Broker broker = broker().start();
          RawClient client = RawClient.connect(broker.boundPort())) {
        for (int partition = 0; partition < PARTITIONS; partition++) {
          assertThat(produce(client, partition, "more"))
              .as("start %d, partition %d", start, partition)
              .isEqualTo(
                  lost.contains(partition)
                      ? ErrorCode.KAFKA_STORAGE_ERROR.code()
                      : ErrorCode.NONE.code());
        }
        TestBroker.createTopic(broker.boundPort(), "new" + start, PARTITIONS, Map.of());
        assertThat(TestBroker.produce(client, "new" + start, 5, TestBroker.batch("n")).errorCode())
            .isZero();
      }
      assertThat(told("ERROR")).hasSize(1);
      assertThat(told("ERROR").get(0))
          .contains(third.toString(), expected, directoryId(third), memory.toString());
      assertThat(Files.readString(memory)).isEqualTo(remembered);
    }
    for (int partition : lost) {
      for (Path folder : List.of(first, second, third)) {
        assertThat(folder.resolve("spread-" + partition)).as("not made anew").doesNotExist();
      }
    }
    try (var names = Files.list(third)) {
      assertThat(names.filter(Files::isDirectory)).as("logs where the disk will be").isEmpty();
    }

    removeAll(third);
    Files.move(aside, third);
    told.list.clear();
    try (Broker broker = broker().start();
        RawClient client = RawClient.connect(broker.boundPort())) {
      for (int partition = 0; partition < PARTITIONS; partition++) {
        assertThat(values(client, partition))
            .isEqualTo(
                lost.contains(partition)
                    ? List.of("p" + partition)
                    : List.of("p" + partition, "more", "more"));
      }
    }
    assertThat(told("ERROR")).isEmpty();
  }

  @Test
  void dataIsGivenUpByRemovingTheLine() throws Exception {
    List<Integer> lost = inThird();
    Files.move(third, aside);
    broker().start().close();
    Files.write(
        memory,
        Files.readAllLines(memory).stream().filter(line -> !line.endsWith(" " + third)).toList());
    told.list.clear();

    try (Broker broker = broker().start();
        RawClient client = RawClient.connect(broker.boundPort())) {
      for (int partition : lost) {
        assertThat(values(client, partition)).isEmpty();
        assertThat(produce(client, partition, "anew")).isZero();
      }
    }
    assertThat(told("ERROR")).isEmpty();
    assertThat(inThird()).as("the new folder is used").isNotEmpty();
    assertThat(Files.readString(memory)).contains(" " + directoryId(third) + " " + third + "\n");
  }

  @Test
  void aFolderThatLeavesTheConfigurationIsForgotten() throws Exception {
    List<Integer> lost = inThird();
    try (Broker broker = TestBroker.in(first).set("log.dirs", first + "," + second).start();
        RawClient client = RawClient.connect(broker.boundPort())) {
      assertThat(produce(client, lost.get(0), "anew")).isZero();
    }
    assertThat(Files.readString(memory)).doesNotContain(third.toString());
    assertThat(told("WARN")).anyMatch(line -> line.contains(third + " with id"));
  }

  @Test
  void aFolderAtAnotherPathIsKnownByItsId() throws Exception {
    Files.move(third, aside);
    try (Broker broker =
            TestBroker.in(first).set("log.dirs", first + "," + second + "," + aside).start();
        RawClient client = RawClient.connect(broker.boundPort())) {
      assertThatAllIsThere(client);
    }
    assertThat(Files.readString(memory)).contains(" " + directoryId(aside) + " " + aside + "\n");
    assertThat(told("WARN")).isEmpty();
  }

  @ParameterizedTest(name = "ST-07 {0}")
  @ValueSource(strings = {"missing", "empty", "zeros", "cut in a line", "a flipped bit", "garbage"})
  void aDamagedFileIsWrittenAnew(String damage) throws Exception {
    String whole = Files.readString(memory);
    byte[] bytes = Files.readAllBytes(memory);
    switch (damage) {
      case "missing" -> Files.delete(memory);
      case "empty" -> Files.write(memory, new byte[0]);
      case "zeros" -> Files.write(memory, new byte[bytes.length]);
      case "cut in a line" -> Files.write(memory, Arrays.copyOf(bytes, bytes.length - 3));
      case "a flipped bit" -> {
        bytes[bytes.length - 3] ^= 1;
        Files.write(memory, bytes);
      }
      default -> Files.writeString(memory, whole + "and more \u0000");
    }

    try (Broker broker = broker().start();
        RawClient client = RawClient.connect(broker.boundPort())) {
      assertThatAllIsThere(client);
    }
    assertThat(Files.readString(memory)).isEqualTo(whole);
    assertThat(told("WARN")).hasSize(1).allMatch(line -> line.contains(memory.toString()));
    assertThat(told("ERROR")).isEmpty();
  }

  @Test
  void aFolderWithLogsWhoseIdIsDamagedIsNotLost_ST_07() throws Exception {
    String before = directoryId(third);
    Files.write(third.resolve("meta.properties"), new byte[40]);
    try (Broker broker = broker().start();
        RawClient client = RawClient.connect(broker.boundPort())) {
      assertThatAllIsThere(client);
    }
    assertThat(directoryId(third)).isNotEqualTo(before);
    assertThat(Files.readString(memory)).contains(" " + directoryId(third) + " " + third + "\n");
    assertThat(Files.readString(memory)).doesNotContain(before);
  }

  private Broker.Builder broker() {
    return TestBroker.in(first).set("log.dirs", first + "," + second + "," + third);
  }

  private List<Integer> inThird() {
    return IntStream.range(0, PARTITIONS)
        .filter(partition -> Files.exists(third.resolve("spread-" + partition)))
        .boxed()
        .toList();
  }

  private static short produce(RawClient client, int partition, String value) throws IOException {
    return TestBroker.produce(client, "spread", partition, TestBroker.batch(value)).errorCode();
  }

  private static List<String> values(RawClient client, int partition) throws IOException {
    return TestBroker.values(TestBroker.fetchOne(client, TestBroker.fetch("spread", partition, 0)));
  }

  private static void assertThatAllIsThere(RawClient client) throws IOException {
    for (int partition = 0; partition < PARTITIONS; partition++) {
      assertThat(values(client, partition)).containsExactly("p" + partition);
    }
  }

  private static String directoryId(Path folder) throws IOException {
    return Files.readAllLines(folder.resolve("meta.properties")).stream()
        .filter(line -> line.startsWith("directory.id="))
        .map(line -> line.substring("directory.id=".length()))
        .collect(Collectors.joining());
  }

  private List<String> told(String level) {
    return List.copyOf(told.list).stream()
        .filter(event -> event.getLoggerName().endsWith(".LostFolders"))
        .filter(event -> event.getLevel().toString().equals(level))
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  private static void removeAll(Path folder) throws IOException {
    Files.walkFileTree(
        folder,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException failure)
              throws IOException {
            Files.delete(visited);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
