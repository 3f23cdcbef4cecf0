package org.relayledger.sandbox;

import java.math.BigDecimal;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;

/**
 * What a request asks for. As legacy systems do, it takes what it finds: a body that is no JSON is
 * a transfer of one, named by its header.
 *
 * @param fault what the member {@code fault} says, or null
 */
record Transfer(String guid, String fault, BigDecimal amount) {
  /** The longest GUID, in characters. */
  static final int MAX_GUID = 128;

  /** The most digits before or after the point that an amount may have. */
  static final int MAX_DIGITS = 1000;

  private static final Pattern GUID = Pattern.compile("[A-Za-z0-9._:-]{1," + MAX_GUID + "}");

  private static final JsonFactory FACTORY =
      JsonFactory.builder().disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES).build();

  /**
   * Reads {@code request}.
   *
   * @throws Wire.Refused if no GUID is in it
   */
  static Transfer of(Wire.Request request) throws Wire.Refused {
    String guid = unquoted(request.headers().getOrDefault("idempotency-key", ""));
    String fault = null;
    BigDecimal amount = BigDecimal.ONE;
    try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), request.body())) {
      if (parser.nextToken() == JsonToken.START_OBJECT) {
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
          String name = parser.currentName();
          JsonToken value = parser.nextToken();
          if (value == JsonToken.VALUE_STRING && name.equals("guid")) {
            guid = parser.getString();
          } else if (value == JsonToken.VALUE_STRING && name.equals("fault")) {
            fault = parser.getString();
          } else if (value.isNumeric() && name.equals("amount")) {
            amount = parser.getDecimalValue();
          }
          parser.skipChildren();
        }
      }
    } catch (JacksonException e) {
      // What was read until here counts.
    }
    return new Transfer(checked(guid), fault, amount);
  }

  /**
   * {@code guid}, if it is one: {@code A-Z a-z 0-9 . _ : -}.
   *
   * @throws Wire.Refused if it is none
   */
  static String checked(String guid) throws Wire.Refused {
    if (!GUID.matcher(guid).matches()) {
      throw new Wire.Refused(
          400, "no GUID of 1 to " + MAX_GUID + " characters of A-Z a-z 0-9 . _ : -");
    }
    return guid;
  }

  private static String unquoted(String key) {
    return key.length() > 1 && key.startsWith("\"") && key.endsWith("\"")
        ? key.substring(1, key.length() - 1)
        : key;
  }

  /** Whether the amount is short enough to be written out. */
  boolean isBookable() {
    return Math.abs((long) amount.scale()) <= MAX_DIGITS && amount.precision() <= MAX_DIGITS;
  }
}
