package org.relayledger.relaycli;

import java.net.InetSocketAddress;
import org.relayledger.cli.Exit;
import org.relayledger.cli.Failure;

/** Reads where to listen. */
final class Listen {
  private static final int MAX_PORT = 65_535;

  private Listen() {}

  /** {@code HOST:PORT}, an IPv6 host in brackets. */
  static InetSocketAddress address(String text) {
    int colon = text.lastIndexOf(':');
    String port = text.substring(colon + 1);
    if (colon < 1 || !port.matches("[0-9]{1,5}") || Integer.parseInt(port) > MAX_PORT) {
      throw new Failure(
          Exit.USAGE, "'" + text + "' is no HOST:PORT to listen on, as 127.0.0.1:8080");
    }
    String host = text.substring(0, colon).replaceAll("^\\[(.*)]$", "$1");
    InetSocketAddress address = new InetSocketAddress(host, Integer.parseInt(port));
    if (address.isUnresolved()) {
      throw new Failure(Exit.USAGE, "there is no host '" + host + "' to listen on");
    }
    return address;
  }
}
