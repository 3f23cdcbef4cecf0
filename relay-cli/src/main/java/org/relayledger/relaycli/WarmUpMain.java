package org.relayledger.relaycli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Map;
import org.relayledger.cli.Main;
import org.relayledger.cli.Streams;
import org.relayledger.ledger.HostClock;
import org.relayledger.ledger.Steps;
import org.relayledger.purgecli.PurgeMain;
import org.relayledger.reprocesscli.ReprocessMain;
import org.relayledger.resolvecli.ResolveMain;
import org.relayledger.sandbox.Sandbox;
import picocli.CommandLine;

/**
 * Uses each tool once, on a ledger of its own in the folder that is its argument, for the JVM to
 * take down which classes that needs.
 */
public final class WarmUpMain {
  private static final String TRANSFER = "{\"guid\":\"warm-up\",\"amount\":1}";

  private WarmUpMain() {}

  /** Starts it; exits with 1 if a tool does not do what it is for. */
  public static void main(String[] arguments) throws IOException {
    InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    String ledger = Path.of(arguments[0], "ledger.db").toString();
    boolean well;
    try (Sandbox sandbox = Sandbox.start(loopback, Sandbox.BALANCE)) {
      String account = sandbox.transfers().toString();
      well =
          relay("init", "--ledger", ledger, "--max-processing=1s", "--resend-window=1s")
              && relay("send", "--ledger", ledger, "--account-url", account)
              && relay("send", "--ledger", ledger, "--account-url", account)
              && relay("show", "--ledger", ledger, "warm-up")
              && relay("list", "--ledger", ledger, "--format", "csv")
              && tool(
                  ResolveMain.commandLine(HostClock.system(), Steps.NONE),
                  "--ledger",
                  ledger,
                  "--account-url",
                  account,
                  "-q")
              && tool(
                  ReprocessMain.commandLine(HostClock.system(), Steps.NONE),
                  "--ledger",
                  ledger,
                  "--account-url",
                  account,
                  "-q")
              && tool(
                  PurgeMain.commandLine(HostClock.system(), Steps.NONE),
                  "--ledger",
                  ledger,
                  "--retention=30d",
                  "-q");
    }
    System.exit(well ? 0 : 1);
  }

  private static boolean relay(String... arguments) {
    return tool(RelayMain.commandLine(Steps.NONE), arguments);
  }

  private static boolean tool(CommandLine tool, String... arguments) {
    Streams streams =
        new Streams(
            new ByteArrayInputStream(TRANSFER.getBytes(UTF_8)),
            OutputStream.nullOutputStream(),
            System.err,
            Map.of());
    return Main.run(tool, arguments, streams) == 0;
  }
}
