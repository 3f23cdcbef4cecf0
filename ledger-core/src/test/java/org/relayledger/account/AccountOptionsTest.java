package org.relayledger.account;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.relayledger.ledger.Guid;
import tools.jackson.core.JsonPointer;

final class AccountOptionsTest {
  private static AccountOptions options(
      String inquiryUrl, Duration timeout, String notSent, int maxReply) {
    return new AccountOptions(
        "https://bank.example/transfers",
        inquiryUrl,
        timeout,
        Duration.ofSeconds(1),
        List.of(),
        JsonPointer.compile("/code"),
        JsonPointer.compile("/guid"),
        Codes.parse("0000,B2??"),
        Codes.parse(notSent),
        Codes.parse("0000"),
        "E404",
        maxReply);
  }

  @ParameterizedTest
  @CsvSource({
    "http://h/transfers,      http://h/transfers/a%3AB.1",
    "http://h/transfers/,     http://h/transfers/a%3AB.1",
    "http://h:8080,           http://h:8080/a%3AB.1",
    "https://[::1]:1/x,       https://[::1]:1/x/a%3AB.1"
  })
  void theInquiryUrlIsTheAccountUrlAndTheGuidAsOneSegment(String url, String inquiry) {
    assertThat(AccountOptions.at(url).inquiryUrl(new Guid("a:B.1"))).hasToString(inquiry);
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://h/q/{guid}/state", "http://h/q?id={guid}"})
  void anInquiryUrlMayHaveTheGuidAnywhereBehindTheHost(String url) {
    assertThat(options(url, Duration.ofSeconds(1), "E1", 1).inquiryUrl(new Guid("a")))
        .hasToString(url.replace("{guid}", "a"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"http://h/q", "http://{guid}/q", "http://{guid}", "{guid}", "ftp://h/{guid}", ""})
  void anInquiryUrlWithoutAPlaceForTheGuidIsRefused(String url) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> options(url, Duration.ofSeconds(1), "E1", 1))
        .withMessageNotContaining("\n");
  }

  @Test
  void noInquiryUrlIsMadeFromAnAccountUrlWithAQuery() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> AccountOptions.at("http://h/t?x=1"))
        .withMessageContaining("name one");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "h/transfers",
        "//h/transfers",
        "ftp://h/x",
        "http:",
        "http:///x",
        "http://h /x",
        "http://me:secret@h/x",
        "http://me@h/x",
        "http://me@under_score/x",
        "http://under_score/x",
        "http://h:0/x",
        "http://h:65536/x",
        "http://h/x#y",
        "http://h/{guid}"
      })
  void aUrlThatCannotBeUsedIsRefusedInOneLineThatShowsNoPassword(String url) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> AccountOptions.at(url))
        .withMessageContaining("account URL")
        .withMessageNotContaining("secret")
        .withMessageNotContaining("\n");
  }

  @Test
  void aCodeCannotBeBothFinalAndNotSent() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> options(null, Duration.ofSeconds(1), "E1,B29?", 1))
        .withMessageContaining("both");
  }

  @Test
  void numbersOutOfRangeAreRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> options(null, Duration.ZERO, "E1", 1));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> options(null, Duration.ofSeconds(-1), "E1", 1));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> options(null, Duration.ofSeconds(1), "E1", 0));
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> options(null, Duration.ofSeconds(1), "E1", AccountOptions.MAX_REPLY_LIMIT + 1));
  }
}
