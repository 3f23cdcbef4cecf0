package org.relayledger.sandbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigDecimal;

/**
 * What is to be said about a GUID.
 *
 * @param balance the balance after it, or null where it is nobody's business
 */
record Answer(int status, String code, String guid, BigDecimal balance) {
  static final String SUCCESS = "0000";
  static final String ABSENT = "E404";
  static final String OTHER_CODE = "P100";
  static final int TOO_LARGE = 1024 * 1024;
  static final String JSON = "application/json";
  private static final String IN_CHUNKS = "Transfer-Encoding: chunked";

  /** The bytes of it on the wire, as {@code fault} spoils them. */
  byte[] spoiledBy(Fault fault, boolean last) {
    String json = json(code, guid);
    String text =
        switch (fault.kind()) {
          case CODE -> message(fault.status(), JSON, json(fault.argument(), guid), last);
          case HTML -> message(fault.status(), "text/html", "<h1>Out of order</h1>\n", last);
          case BARE404 -> head(404, last, "Content-Length: 0");
          case REDIRECT ->
              head(fault.status(), last, "Location: " + Sandbox.TRANSFERS, "Content-Length: 0");
          case TRUNCATED -> head(status, last, type(JSON), length(json.length() + 1)) + json;
          case OTHERGUID -> message(status, JSON, json(code, guid + "0"), last);
          case NOGUID -> message(status, JSON, json(code, null), last);
          case EMPTY -> message(status, JSON, "", last);
          case NOTJSON -> message(status, JSON, "OK", last);
          case NOCODE -> message(status, JSON, json(null, guid), last);
          case OTHERCODE -> message(status, JSON, json(OTHER_CODE, guid), last);
          case DUPLICATE ->
              message(status, JSON, json.replaceFirst("\\{", "{\"code\":\"B201\","), last);
          case TOOLARGE ->
              message(status, JSON, json.replace("}", " ".repeat(TOO_LARGE) + "}"), last);
          case CLOSEDELIMITED -> head(status, last, type(JSON)) + json;
          case CHUNKED -> head(status, last, type(JSON), IN_CHUNKS) + chunks(json);
          case BOTHFRAMINGS ->
              head(status, last, type(JSON), length(json.length()), IN_CHUNKS) + json;
          case CONTINUE -> Wire.CONTINUE;
          case MALFORMED -> "220 smtp ready\r\n";
          case NOBODY -> message(404, JSON, json(ABSENT, guid), last);
          case EVERYBODY -> message(200, JSON, json(SUCCESS, guid), last);
          case HONEST, DROP, RST, SILENT, DELAY, HELD, DROPBEFORE, LOST, VOID, SLOW, DRIP ->
              message(status, JSON, json, last);
        };
    return text.getBytes(UTF_8);
  }

  /** A whole well-formed HTTP message. */
  static String message(int status, String type, String body, boolean last) {
    return head(status, last, type(type), length(body.getBytes(UTF_8).length)) + body;
  }

  private static String head(int status, boolean last, String... headers) {
    return "HTTP/1.1 %d \r\n%s%s\r\n\r\n"
        .formatted(status, last ? "Connection: close\r\n" : "", String.join("\r\n", headers));
  }

  private static String type(String type) {
    return "Content-Type: " + type;
  }

  private static String length(int bytes) {
    return "Content-Length: " + bytes;
  }

  private static String chunks(String body) {
    int half = body.length() / 2;
    return chunk(body.substring(0, half)) + chunk(body.substring(half)) + "0\r\n\r\n";
  }

  private static String chunk(String text) {
    return "%x\r\n%s\r\n".formatted(text.length(), text);
  }

  // Codes and GUIDs are ASCII without quotes or backslashes: see Fault and Transfer.
  private String json(String code, String guid) {
    StringBuilder out = new StringBuilder("{");
    if (code != null) {
      out.append("\"code\":\"").append(code).append("\",");
    }
    if (guid != null) {
      out.append("\"guid\":\"").append(guid).append("\",");
    }
    if (balance != null) {
      out.append("\"balance\":").append(balance.toPlainString()).append(',');
    }
    out.setCharAt(out.length() - 1, '}');
    return out.toString();
  }
}
