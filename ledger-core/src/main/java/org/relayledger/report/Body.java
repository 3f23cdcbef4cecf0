package org.relayledger.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Base64;
import tools.jackson.core.JsonGenerator;

/**
 * A request's or reply's bytes as text.
 *
 * @param encoding {@code text} if the bytes are UTF-8, else {@code base64}; null if there are none
 */
public record Body(String text, String encoding) {
  /** {@code bytes} as text; null has none. */
  public static Body of(byte[] bytes) {
    if (bytes == null) {
      return new Body(null, null);
    }
    try {
      return new Body(UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString(), "text");
    } catch (CharacterCodingException e) {
      return new Body(Base64.getEncoder().encodeToString(bytes), "base64");
    }
  }

  /** Writes {@code bytes} as the members {@code name} and {@code name_encoding}. */
  public static void write(String name, byte[] bytes, JsonGenerator json) {
    Body body = of(bytes);
    json.writeStringProperty(name, body.text);
    json.writeStringProperty(name + "_encoding", body.encoding);
  }
}
