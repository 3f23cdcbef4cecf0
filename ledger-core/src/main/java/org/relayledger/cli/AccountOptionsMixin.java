package org.relayledger.cli;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.relayledger.account.AccountOptions;
import org.relayledger.account.AccountSystem;
import org.relayledger.account.Codes;
import org.relayledger.account.Header;
import org.relayledger.ledger.Steps;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.core.JsonPointer;

/** How to talk to the account system; the values as given. */
public final class AccountOptionsMixin {
  @Option(
      names = "--account-url",
      paramLabel = "URL",
      required = true,
      description = "Where transfers are posted; required, also as RELAY_ACCOUNT_URL.")
  private String accountUrl;

  @Option(
      names = "--inquiry-url",
      paramLabel = "URL",
      description = "Where one is asked about, with {guid} in it (default: ACCOUNT-URL/{guid}).")
  private String inquiryUrl;

  @Option(
      names = "--timeout",
      paramLabel = "D",
      defaultValue = "10s",
      description = "How long to wait for the reply (default: ${DEFAULT-VALUE}).")
  private Duration timeout;

  @Option(
      names = "--connect-timeout",
      paramLabel = "D",
      defaultValue = "3s",
      description = "How long to wait for the connection (default: ${DEFAULT-VALUE}).")
  private Duration connectTimeout;

  @Option(
      names = "--header-file",
      paramLabel = "FILE",
      description = "Headers to send, credentials too: 'Name: value' lines, mode 0600.")
  private Path headerFile;

  @Option(
      names = "--code-pointer",
      paramLabel = "POINTER",
      defaultValue = "/code",
      description = "Where a reply has its code (default: ${DEFAULT-VALUE}).")
  private JsonPointer codePointer;

  @Option(
      names = "--guid-pointer",
      paramLabel = "POINTER",
      defaultValue = "/guid",
      description = "Where requests and replies have the GUID (default: ${DEFAULT-VALUE}).")
  private JsonPointer guidPointer;

  @Option(
      names = "--final-codes",
      paramLabel = "CODE",
      split = ",",
      defaultValue = "0000,B2??,E500",
      description = "Codes of a definite reply (default: ${DEFAULT-VALUE}).")
  private List<String> finalCodes;

  @Option(
      names = "--not-sent-codes",
      paramLabel = "CODE",
      split = ",",
      description = "Codes that say 'certainly not processed' (default: none).")
  private List<String> notSentCodes;

  @Option(
      names = "--inquiry-final-codes",
      paramLabel = "CODE",
      split = ",",
      defaultValue = "0000,B2??",
      description = "Codes of an inquiry that say 'processed' (default: ${DEFAULT-VALUE}).")
  private List<String> inquiryFinalCodes;

  @Option(
      names = "--absent-code",
      paramLabel = "CODE",
      defaultValue = "E404",
      description = "The code of an inquiry that says 'no record' (default: ${DEFAULT-VALUE}).")
  private String absentCode;

  @Mixin private SuccessCodesOption successCodes;

  @Option(
      names = "--max-reply",
      paramLabel = "SIZE",
      defaultValue = "1MiB",
      converter = Values.Size.class,
      description = "The largest reply that is taken (default: ${DEFAULT-VALUE}).")
  private int maxReply;

  /** How long to wait for the reply. */
  public Duration timeout() {
    return timeout;
  }

  /** Where requests and replies have the GUID. */
  public JsonPointer guidPointer() {
    return guidPointer;
  }

  /** The codes that mean success. */
  public Codes successCodes() {
    return successCodes.codes();
  }

  /**
   * The account system as these options describe it; no call is made yet.
   *
   * @param openAtMost the total deadline of a transfer's exchange
   */
  public AccountSystem accountSystem(Duration openAtMost, Steps steps) {
    try {
      return new AccountSystem(options(), openAtMost, steps);
    } catch (IllegalArgumentException | IllegalStateException e) {
      throw new Failure(Exit.USAGE, e.getMessage(), e);
    }
  }

  /**
   * The options as the account package knows them.
   *
   * @throws Failure if the header file or a list of codes cannot be used
   * @throws IllegalArgumentException in one line, if they do not go together
   */
  public AccountOptions options() {
    return new AccountOptions(
        accountUrl,
        inquiryUrl,
        timeout,
        connectTimeout,
        headerFile == null ? List.of() : Header.read(headerFile),
        codePointer,
        guidPointer,
        codes("--final-codes", finalCodes),
        notSentCodes == null ? Codes.NONE : codes("--not-sent-codes", notSentCodes),
        codes("--inquiry-final-codes", inquiryFinalCodes),
        absentCode,
        maxReply);
  }

  static Codes codes(String option, List<String> patterns) {
    try {
      return Codes.parse(String.join(",", patterns));
    } catch (IllegalArgumentException e) {
      throw new Failure(Exit.USAGE, option + ": " + e.getMessage(), e);
    }
  }
}
