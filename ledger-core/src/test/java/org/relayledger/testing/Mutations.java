package org.relayledger.testing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Valid inputs, spoilt: by flipped bits, lost and doubled pieces, pieces of other inputs, nesting,
 * huge numbers, byte order marks, bytes that are no UTF-8. The same seed spoils the same way.
 */
public final class Mutations {
  private static final int MOST = 1 << 17;

  /** Pieces that readers of many kinds trip over. */
  private static final List<String> PIECES =
      List.of(
          "\"",
          "\\",
          "{",
          "}",
          "[",
          "]",
          ":",
          ",",
          ";",
          "'",
          "\n",
          "\r",
          "\r\n",
          "\r\n\r\n",
          "\t",
          " ",
          "\u0000",
          "\u001b[2J",
          "null",
          "-0",
          "1e999999999",
          "9".repeat(400),
          "18446744073709551616",
          "-1",
          "0x10",
          "\\ud800",
          "\\u0000",
          "\\u00",
          "#",
          "!",
          "=",
          "$",
          "${x}",
          "%0d%0a",
          "../",
          "\"\"",
          "{\"a\":",
          "\"guid\":\"other\",",
          "\"code\":\"0000\",");

  /** The same in bytes that are no text: byte order marks, cut and overlong sequences, Latin-1. */
  private static final List<String> BYTES =
      List.of(
          "\u00ef\u00bb\u00bf",
          "\u00ff\u00fe",
          "\u00fe\u00ff",
          "\u00c3",
          "\u00c0\u00af",
          "\u00ed\u00a0\u0080",
          "\u00f4\u0090\u0080\u0080",
          "\u0080",
          "\u00ff",
          "\u009b");

  private final Random random;
  private final List<byte[]> seeds;
  private final List<String> words;

  /**
   * Begins.
   *
   * @param seeds valid inputs
   * @param words pieces that mean something to the reader at hand
   */
  public Mutations(Random random, List<byte[]> seeds, List<String> words) {
    this.random = random;
    this.seeds = seeds;
    this.words = words;
  }

  /** The next input; one in eight is as valid as its seed. */
  public byte[] next() {
    byte[] input = seeds.get(random.nextInt(seeds.size()));
    for (int n = random.nextInt(8); n > 0; n--) {
      byte[] spoilt = spoil(input);
      input = spoilt.length > MOST ? Arrays.copyOf(spoilt, MOST) : spoilt;
    }
    return input;
  }

  private byte[] spoil(byte[] input) {
    int at = random.nextInt(input.length + 1);
    int end = at + random.nextInt(Math.min(32, input.length - at) + 1);
    return switch (random.nextInt(10)) {
      case 0 -> flipped(input);
      case 1 -> Arrays.copyOf(input, at);
      case 2 -> spliced(input, at, new byte[0], end);
      case 3 -> spliced(input, at, Arrays.copyOfRange(input, at, end), at);
      case 4 -> spliced(input, at, other(), end);
      case 5 -> spliced(input, at, one(BYTES).getBytes(ISO_8859_1), end);
      case 6 -> spliced(input, at, nest(), at);
      case 7, 8 -> spliced(input, at, one(PIECES).getBytes(UTF_8), random.nextBoolean() ? at : end);
      default -> spliced(input, at, one(words).getBytes(UTF_8), random.nextBoolean() ? at : end);
    };
  }

  private byte[] flipped(byte[] input) {
    byte[] flipped = input.clone();
    if (flipped.length > 0) {
      flipped[random.nextInt(flipped.length)] ^= (byte) (1 << random.nextInt(8));
    }
    return flipped;
  }

  private byte[] other() {
    byte[] other = seeds.get(random.nextInt(seeds.size()));
    int at = random.nextInt(other.length + 1);
    return Arrays.copyOfRange(other, at, at + random.nextInt(other.length - at + 1));
  }

  private byte[] nest() {
    String piece = random.nextBoolean() ? "[" : "{\"a\":";
    return piece.repeat(1 + random.nextInt(random.nextInt(20) == 0 ? 20_000 : 20)).getBytes(UTF_8);
  }

  private String one(List<String> pieces) {
    return pieces.get(random.nextInt(pieces.size()));
  }

  private static byte[] spliced(byte[] input, int from, byte[] between, int to) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(input, 0, from);
    out.writeBytes(between);
    out.write(input, to, input.length - to);
    return out.toByteArray();
  }
}
