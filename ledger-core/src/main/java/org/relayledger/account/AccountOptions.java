package org.relayledger.account;

import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.List;
import org.relayledger.ledger.Guid;
import tools.jackson.core.JsonPointer;

/**
 * Where the account system is and how it is understood.
 *
 * @param accountUrl the http or https URL that transfers are posted to, kept as written
 * @param inquiryUrl the URL to ask about one transfer, with <code>{guid}</code> in its path or
 *     query; null for <code>{account-url}/{guid}</code>
 * @param timeout how long the channel waits for a reply, and how long an inquiry may take
 * @param connectTimeout how long one connection may take to open, TLS handshake included
 * @param headers what goes along with every call
 * @param codePointer where a reply has its code
 * @param guidPointer where a reply has its GUID
 * @param finalCodes the codes of definite replies
 * @param notSentCodes the codes by which the account system says that it did nothing
 * @param inquiryFinalCodes the codes of inquiries that found the transfer
 * @param absentCode the code of inquiries that found no transfer
 * @param maxReply the largest reply that is read, in bytes
 */
public record AccountOptions(
    String accountUrl,
    String inquiryUrl,
    Duration timeout,
    Duration connectTimeout,
    List<Header> headers,
    JsonPointer codePointer,
    JsonPointer guidPointer,
    Codes finalCodes,
    Codes notSentCodes,
    Codes inquiryFinalCodes,
    String absentCode,
    int maxReply) {
  /** The most that {@link #maxReply} may be, in bytes. */
  public static final int MAX_REPLY_LIMIT = 64 * 1024 * 1024;

  /** What stands for the GUID in an inquiry URL. */
  public static final String GUID_MARK = "{guid}";

  private static final int MAX_PORT = 65_535;

  /**
   * Copies the headers and fills in the inquiry URL.
   *
   * @throws IllegalArgumentException in one line, if a URL cannot be used, a number is out of range
   *     or one code is both final and not-sent
   */
  public AccountOptions {
    headers = List.copyOf(headers);
    checkUrl("account URL", accountUrl);
    if (inquiryUrl == null) {
      if (URI.create(accountUrl).getRawQuery() != null) {
        throw new IllegalArgumentException(
            "the account URL has a query: no inquiry URL can be made from it, name one");
      }
      inquiryUrl = accountUrl + (accountUrl.endsWith("/") ? "" : "/") + GUID_MARK;
    }
    int path = inquiryUrl.indexOf('/', inquiryUrl.indexOf("://") + "://".length());
    if (path < 0 || inquiryUrl.indexOf(GUID_MARK) < path) {
      throw new IllegalArgumentException(
          "the inquiry URL must have " + GUID_MARK + " in its path or query");
    }
    checkUrl("inquiry URL", inquiryUrl.replace(GUID_MARK, "guid"));
    if (timeout.isNegative()
        || timeout.isZero()
        || connectTimeout.isNegative()
        || connectTimeout.isZero()) {
      throw new IllegalArgumentException("time-outs must be positive");
    }
    if (finalCodes.overlaps(notSentCodes)) {
      throw new IllegalArgumentException(
          "a code cannot be both final (" + finalCodes + ") and not-sent (" + notSentCodes + ")");
    }
    if (maxReply < 1 || maxReply > MAX_REPLY_LIMIT) {
      throw new IllegalArgumentException(
          "the largest reply must be 1 to " + MAX_REPLY_LIMIT + " bytes");
    }
  }

  /** The defaults, for the account system at {@code accountUrl}. */
  public static AccountOptions at(String accountUrl) {
    return new AccountOptions(
        accountUrl,
        null,
        Duration.ofSeconds(10),
        Duration.ofSeconds(3),
        List.of(),
        JsonPointer.compile("/code"),
        JsonPointer.compile("/guid"),
        Codes.parse("0000,B2??,E500"),
        Codes.NONE,
        Codes.parse("0000,B2??"),
        "E404",
        1024 * 1024);
  }

  /** The URL to ask about {@code guid}, which is percent-encoded as one segment. */
  public URI inquiryUrl(Guid guid) {
    // Of all the characters of a GUID only the colon is reserved in URLs.
    return URI.create(inquiryUrl.replace(GUID_MARK, guid.value().replace(":", "%3A")));
  }

  private static void checkUrl(String what, String text) {
    URI url;
    try {
      url = new URI(text);
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException("the " + what + " is no URL", e);
    }
    boolean http = "http".equalsIgnoreCase(url.getScheme());
    boolean https = "https".equalsIgnoreCase(url.getScheme());
    if (!http && !https) {
      throw new IllegalArgumentException("the " + what + " must begin with http:// or https://");
    }
    // A password in the URL would stand in every row.
    if (url.getRawUserInfo() != null || String.valueOf(url.getRawAuthority()).contains("@")) {
      throw new IllegalArgumentException(
          "the " + what + " may not name a user: put credentials into the header file");
    }
    if (url.getHost() == null) {
      throw new IllegalArgumentException("the " + what + " has no valid host");
    }
    if (url.getPort() == 0 || url.getPort() > MAX_PORT) {
      throw new IllegalArgumentException("the " + what + " has no valid port");
    }
    if (url.getRawFragment() != null) {
      throw new IllegalArgumentException("the " + what + " may not have a fragment");
    }
  }
}
