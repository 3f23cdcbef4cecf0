package org.relayledger.testing;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.syntax.elements.GivenClassesConjunction;
import java.io.FileInputStream;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * What the design page asks of all main code. Each module has a thin subclass, which checks the
 * module's own classes.
 */
public abstract class HouseRules {
  private static final String[] COMMANDS = {
    "org.relayledger.relaycli..",
    "org.relayledger.resolvecli..",
    "org.relayledger.reprocesscli..",
    "org.relayledger.purgecli.."
  };

  private static final JavaClasses MAIN = main();

  private static JavaClasses main() {
    // The rules ask for names only: without the JDK's classes the import takes a tenth of the time.
    ArchConfiguration.get().setResolveMissingDependenciesFromClassPath(false);
    return new ClassFileImporter().importPath(Path.of("target", "classes"));
  }

  private static void check(ArchRule rule) {
    rule.allowEmptyShould(true).check(MAIN);
  }

  private static GivenClassesConjunction noneOutside(String... packages) {
    return noClasses().that().resideOutsideOfPackages(packages);
  }

  private static void onlyOurs(String layer, String... below) {
    check(
        classes()
            .that()
            .resideInAPackage("org.relayledger." + layer + "..")
            .should()
            .onlyDependOnClassesThat(
                DescribedPredicate.not(resideInAPackage("org.relayledger.."))
                    .or(resideInAPackage("org.relayledger." + layer + ".."))
                    .or(resideInAnyPackage(below))));
  }

  @Test
  void thereIsSomethingToCheck() {
    if (MAIN.isEmpty()) {
      throw new AssertionError("no class found");
    }
  }

  @Test
  void onlyTheLedgerKnowsSql() {
    check(
        noneOutside("org.relayledger.ledger..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("java.sql..", "javax.sql..", "org.sqlite.."));
  }

  @Test
  void onlyTheAccountPackageHasAnHttpClient() {
    check(
        noneOutside("org.relayledger.account..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("java.net.http.."));
    check(
        noClasses()
            .should()
            .dependOnClassesThat()
            .haveNameMatching("javax?\\.net\\..*URLConnection"));
  }

  @Test
  void onlyTheCommandsKnowPicocli() {
    check(
        noClasses()
            .that(
                DescribedPredicate.not(
                    resideInAnyPackage(COMMANDS).or(resideInAPackage("org.relayledger.cli.."))))
            .should()
            .dependOnClassesThat()
            .resideInAPackage("picocli.."));
  }

  @Test
  void onlyTheHubKnowsJetty() {
    check(
        noClasses()
            .that()
            .haveNameNotMatching("org\\.relayledger\\.relaycli\\.Hub\\w*(\\$.*)?")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.eclipse.jetty.."));
  }

  @Test
  void theLedgerKnowsNobody() {
    onlyOurs("ledger");
  }

  @Test
  void theSandboxKnowsNobody() {
    onlyOurs("sandbox");
  }

  @Test
  void theAccountPackageKnowsTheLedgerOnly() {
    onlyOurs("account", "org.relayledger.ledger..");
  }

  @Test
  void theRelayKnowsLedgerAndAccountOnly() {
    onlyOurs("relay", "org.relayledger.ledger..", "org.relayledger.account..");
  }

  @Test
  void nobodyBelowKnowsTheCommands() {
    check(noneOutside(COMMANDS).should().dependOnClassesThat().resideInAnyPackage(COMMANDS));
    check(
        noClasses()
            .that()
            .resideInAPackage("org.relayledger.report..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.relayledger.cli.."));
  }

  @Test
  void nothingButClaimBytesOpensAFileBesideTheLedger() {
    // SystemClock reads /proc only. Whoever opens a file of the ledger drops its locks on closing.
    check(
        noClasses()
            .that()
            .resideInAPackage("org.relayledger.ledger..")
            .and()
            .haveNameNotMatching(".*\\.(ClaimBytes|SystemClock)(\\$.*)?")
            .should()
            .callMethodWhere(
                target(owner(type(Files.class)))
                    .and(
                        target(
                            nameMatching(
                                "read(?!Attributes).*|lines|new.*|copy|write.*|mismatch"))))
            .orShould()
            .callMethodWhere(
                target(owner(type(FileChannel.class))).and(target(nameMatching("open"))))
            .orShould()
            .dependOnClassesThat()
            .belongToAnyOf(FileInputStream.class, RandomAccessFile.class));
  }

  @Test
  void everyClassIsFinalOrSealed() {
    check(
        classes()
            .that(
                describe(
                    "are named and no interface",
                    c -> !c.isInterface() && !c.isAnonymousClass() && !c.isEnum()))
            .should(ArchCondition.from(describe("be final or sealed", HouseRules::isClosed))));
  }

  private static boolean isClosed(JavaClass c) {
    return c.getModifiers().contains(JavaModifier.FINAL) || c.reflect().isSealed();
  }

  @Test
  void noNameSaysNothing() {
    check(
        noClasses()
            .should()
            .haveNameMatching(
                ".*[.$]((\\w*(Manager|Utils?|Impl|Helpers?))|((Process(?!ed\\b)|Handle)\\w*))"));
  }

  @Test
  void nobodySleeps() {
    check(
        noClasses()
            .should()
            .callMethodWhere(target(owner(type(Thread.class))).and(target(nameMatching("sleep")))));
  }

  @Test
  void onlyAMainExits() {
    check(
        noClasses()
            .that()
            .haveNameNotMatching(".*Main(\\$.*)?")
            .should()
            .callMethodWhere(target(owner(type(System.class))).and(target(nameMatching("exit")))));
  }
}
