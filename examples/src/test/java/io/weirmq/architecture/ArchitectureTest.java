package io.weirmq.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleName;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;

/**
 * Holds the dependency arrows of {@code docs/architecture.md} and the rules of {@code
 * CONTRIBUTING.md} that a machine can check.
 */
@AnalyzeClasses(
    packages = "io.weirmq",
    importOptions = {
      ImportOption.DoNotIncludeTests.class,
      ArchitectureTest.DoNotIncludeWhatJmhGenerates.class
    })
class ArchitectureTest {

  private static final String INDEX = "io.weirmq.index..";
  private static final String STORAGE = "io.weirmq.storage..";
  private static final String SPI = "io.weirmq.transport";
  private static final String SPI_SUPPORT = "io.weirmq.transport.support";
  private static final String NETTY = "io.weirmq.transport.netty..";
  private static final String SHM = "io.weirmq.transport.shm..";
  private static final String PROTOCOL = "io.weirmq.protocol..";
  private static final String REPLICATION = "io.weirmq.replication..";
  private static final String SERVER = "io.weirmq.server..";
  private static final String CLIENT = "io.weirmq.client..";
  private static final String BENCH = "io.weirmq.bench..";
  private static final String TESTKIT = "io.weirmq.testkit..";
  private static final String EXAMPLES = "io.weirmq.examples..";

  @ArchTest
  static final ArchRule index_knows_only_the_jdk =
      onlyDependsOn(INDEX, INDEX).because("mq-index is useful alone, without any other library");

  @ArchTest
  static final ArchRule transport_spi_knows_only_the_jdk =
      onlyDependsOn(SPI, SPI).because("whoever writes a transport gets no dependency with the SPI");

  @ArchTest
  static final ArchRule transport_support_knows_only_the_jdk =
      onlyDependsOn(SPI_SUPPORT, SPI_SUPPORT)
          .because("whoever writes a transport gets no logger with it");

  @ArchTest
  static final ArchRule storage_stands_on_index_only =
      noClasses()
          .that()
          .resideInAPackage(STORAGE)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              SPI,
              SPI_SUPPORT,
              NETTY,
              SHM,
              PROTOCOL,
              REPLICATION,
              SERVER,
              CLIENT,
              BENCH,
              TESTKIT,
              EXAMPLES)
          .because("the storage engine is taken into other systems alone");

  @ArchTest
  static final ArchRule storage_example_uses_storage_alone =
      classes()
          .that()
          .haveSimpleName("StorageOnlyExample")
          .should()
          .onlyDependOnClassesThat(
              resideInAnyPackage("java..", STORAGE).or(simpleName("StorageOnlyExample")))
          .because("it shows what mq-storage can do without the rest");

  @ArchTest
  static final ArchRule protocol_stands_on_the_transport_spi_only =
      noClasses()
          .that()
          .resideInAPackage(PROTOCOL)
          .and()
          .resideOutsideOfPackage("io.weirmq.protocol.generator..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              INDEX, STORAGE, NETTY, SHM, REPLICATION, SERVER, CLIENT, BENCH, TESTKIT, EXAMPLES)
          .because("the codec moves frames and knows no log");

  @ArchTest
  static final ArchRule replication_does_not_know_the_server =
      noClasses()
          .that()
          .resideInAPackage(REPLICATION)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(NETTY, SHM, SERVER, CLIENT, BENCH, TESTKIT, EXAMPLES)
          .because("dependencies point downwards");

  @ArchTest static final ArchRule netty_transport_knows_only_the_spi = knowsOnlyTheSpi(NETTY, SHM);

  @ArchTest static final ArchRule shm_transport_knows_only_the_spi = knowsOnlyTheSpi(SHM, NETTY);

  @ArchTest static final ArchRule nobody_imports_netty_by_name = isImportedByNobody(NETTY);

  @ArchTest static final ArchRule nobody_imports_shared_memory_by_name = isImportedByNobody(SHM);

  @ArchTest
  static final ArchRule server_does_not_know_who_uses_it =
      noClasses()
          .that()
          .resideInAPackage(SERVER)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(CLIENT, BENCH, TESTKIT, EXAMPLES)
          .because("dependencies point downwards");

  @ArchTest
  static final ArchRule client_does_not_know_the_broker =
      noClasses()
          .that()
          .resideInAPackage(CLIENT)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(NETTY, SHM, REPLICATION, SERVER, BENCH, TESTKIT, EXAMPLES)
          .because("a client speaks the protocol and reads the log's format, and knows no more");

  @ArchTest
  static final ArchRule internals_stay_inside_their_module =
      classes()
          .that()
          .resideInAPackage("io.weirmq..internal..")
          .should(onlyBeUsedInsideTheirModule())
          .because("internal packages are free to change; use or extend the module's public API");

  @ArchTest
  static final ArchRule netty_stays_in_its_transport =
      onlyUsedIn("io.netty..", NETTY)
          .because("ByteBuf must not cross the SPI; hand over a ByteBuffer or a FileSlice");

  @ArchTest
  static final ArchRule disruptor_stays_in_the_pipeline =
      onlyUsedIn("com.lmax.disruptor..", "io.weirmq.storage.internal.pipeline..")
          .because("the ring is an implementation of AppendPipeline");

  @ArchTest
  static final ArchRule kafka_is_no_runtime_dependency =
      noClasses()
          .that()
          .resideInAPackage("io.weirmq..")
          .and()
          .resideOutsideOfPackages("io.weirmq.client.kafka..", BENCH, EXAMPLES)
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.apache.kafka..")
          .because("the codec is generated; kafka-clients is the tests' oracle (ADR 0002)");

  @ArchTest
  static final ArchRule clocks_come_from_outside =
      noClasses()
          .that()
          .resideOutsideOfPackages("io.weirmq.server", "io.weirmq.server.cli..", BENCH)
          .and()
          .resideOutsideOfPackage(EXAMPLES)
          .and()
          .resideOutsideOfPackage(TESTKIT)
          .should()
          .callMethod(System.class, "nanoTime")
          .orShould()
          .callMethod(System.class, "currentTimeMillis")
          .orShould()
          .callMethod(java.time.Instant.class, "now")
          .orShould()
          .callMethod(Thread.class, "sleep", long.class)
          .because("time is injected (InstantSource, LongSupplier), so that tests can step it");

  @ArchTest
  static final ArchRule no_static_mutable_state =
      fields()
          .that()
          .areStatic()
          .and()
          .areDeclaredInClassesThat(resideInAPackage("io.weirmq.."))
          .should()
          .beFinal()
          .because("two brokers live side by side in one JVM");

  @ArchTest
  static final ArchRule packages_are_null_marked =
      classes()
          .that()
          .resideInAPackage("io.weirmq..")
          .should(resideInANullMarkedPackage())
          .because("null is checked by the compiler in marked packages only");

  @ArchTest
  static final ArchRule public_packages_have_no_cycles =
      slices()
          .assignedFrom(new PublicPackages())
          .should()
          .beFreeOfCycles()
          .because("data flows one way");

  @ArchTest
  static final ArchRule internal_packages_have_no_cycles =
      slices()
          .matching("io.weirmq.(*).internal.(*)..")
          .should()
          .beFreeOfCycles()
          .because("data flows one way, inside a module too");

  /** Leaves the harness out that JMH makes for each benchmark. */
  static final class DoNotIncludeWhatJmhGenerates implements ImportOption {
    @Override
    public boolean includes(Location location) {
      return !location.contains("/jmh_generated/");
    }
  }

  private static ArchRule knowsOnlyTheSpi(String transport, String otherTransport) {
    return noClasses()
        .that()
        .resideInAPackage(transport)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            INDEX,
            STORAGE,
            otherTransport,
            PROTOCOL,
            REPLICATION,
            SERVER,
            CLIENT,
            BENCH,
            TESTKIT,
            EXAMPLES)
        .because("a transport knows nothing of what it carries");
  }

  private static ArchRule isImportedByNobody(String transport) {
    return noClasses()
        .that()
        .resideOutsideOfPackages(transport, EXAMPLES)
        .should()
        .dependOnClassesThat()
        .resideInAPackage(transport)
        .because("transports are found by ServiceLoader, so that others can be added");
  }

  private static ArchRule onlyDependsOn(String packages, String... allowed) {
    String[] all = new String[allowed.length + 2];
    System.arraycopy(allowed, 0, all, 0, allowed.length);
    all[allowed.length] = "java..";
    all[allowed.length + 1] = "org.jspecify..";
    return classes()
        .that()
        .resideInAPackage(packages)
        .should()
        .onlyDependOnClassesThat(resideInAnyPackage(all).or(isArray()));
  }

  private static ArchRule onlyUsedIn(String library, String packages) {
    return noClasses()
        .that()
        .resideInAPackage("io.weirmq..")
        .and()
        .resideOutsideOfPackage(packages)
        .should()
        .dependOnClassesThat()
        .resideInAPackage(library);
  }

  private static DescribedPredicate<JavaClass> isArray() {
    return DescribedPredicate.describe("arrays", JavaClass::isArray);
  }

  private static ArchCondition<JavaClass> onlyBeUsedInsideTheirModule() {
    return new ArchCondition<>("only be used inside their module") {
      @Override
      public void check(JavaClass item, ConditionEvents events) {
        String module = moduleOf(item.getPackageName());
        item.getDirectDependenciesToSelf().stream()
            .filter(d -> !moduleOf(d.getOriginClass().getPackageName()).equals(module))
            .forEach(d -> events.add(SimpleConditionEvent.violated(item, d.getDescription())));
      }
    };
  }

  private static ArchCondition<JavaClass> resideInANullMarkedPackage() {
    return new ArchCondition<>("reside in a @NullMarked package") {
      @Override
      public void check(JavaClass item, ConditionEvents events) {
        if (!item.getPackage().isAnnotatedWith("org.jspecify.annotations.NullMarked")) {
          events.add(
              SimpleConditionEvent.violated(
                  item, item.getPackageName() + " has no package-info.java with @NullMarked"));
        }
      }
    };
  }

  /** The module that a package belongs to: its first two or three names. */
  private static String moduleOf(String packageName) {
    String[] names = packageName.split("\\.", -1);
    if (names.length > 3 && names[2].equals("transport")) {
      return names[2] + "." + names[3];
    }
    return names.length > 2 ? names[2] : packageName;
  }

  /** Each public package is a slice; a factory there may know the internals behind it. */
  private static final class PublicPackages implements SliceAssignment {

    @Override
    public SliceIdentifier getIdentifierOf(JavaClass javaClass) {
      String name = javaClass.getPackageName();
      return name.contains(".internal") ? SliceIdentifier.ignore() : SliceIdentifier.of(name);
    }

    @Override
    public String getDescription() {
      return "public packages";
    }
  }
}
