package org.relayledger.account;

import java.net.http.HttpHeaders;
import java.util.Map;

/**
 * What came back on one connection.
 *
 * @param status the HTTP status, or 0 if no final one came
 * @param headers the headers, empty if none came
 * @param body what was read of the body; all of it, unless the answer is broken
 * @param broken why this is not a whole answer, or null if it is
 */
record Answer(int status, HttpHeaders headers, byte[] body, String broken) {
  static final HttpHeaders NO_HEADERS = HttpHeaders.of(Map.of(), (name, value) -> true);

  /** No answer. */
  static Answer none(String why) {
    return new Answer(0, NO_HEADERS, new byte[0], why);
  }
}
