package org.relayledger.cli;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
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

  @Option(
      names = "--max-reply",
      paramLabel = "SIZE",
      defaultValue = "1MiB",
      converter = Values.Size.class,
      description = "The largest reply that is taken (default: ${DEFAULT-VALUE}).")
  private int maxReply;

  /** Where transfers are posted. */
  public String accountUrl() {
    return accountUrl;
  }

  /** Where one is asked about, if not at the account URL followed by the GUID. */
  public Optional<String> inquiryUrl() {
    return Optional.ofNullable(inquiryUrl);
  }

  /** How long to wait for the reply. */
  public Duration timeout() {
    return timeout;
  }

  /** How long to wait for the connection. */
  public Duration connectTimeout() {
    return connectTimeout;
  }

  /** The file with the headers to send. */
  public Optional<Path> headerFile() {
    return Optional.ofNullable(headerFile);
  }

  /** Where a reply has its code. */
  public JsonPointer codePointer() {
    return codePointer;
  }

  /** Where requests and replies have the GUID. */
  public JsonPointer guidPointer() {
    return guidPointer;
  }

  /** The codes, or patterns with {@code ?}, of a definite reply. */
  public List<String> finalCodes() {
    return List.copyOf(finalCodes);
  }

  /** The codes, or patterns with {@code ?}, of a reply that says "certainly not processed". */
  public List<String> notSentCodes() {
    return notSentCodes == null ? List.of() : List.copyOf(notSentCodes);
  }

  /** The codes, or patterns with {@code ?}, of an inquiry that say "processed". */
  public List<String> inquiryFinalCodes() {
    return List.copyOf(inquiryFinalCodes);
  }

  /** The code of an inquiry that says "no record". */
  public String absentCode() {
    return absentCode;
  }

  /** The largest reply that is taken, in bytes. */
  public int maxReply() {
    return maxReply;
  }
}
