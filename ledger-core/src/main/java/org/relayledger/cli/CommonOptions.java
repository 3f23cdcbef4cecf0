package org.relayledger.cli;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.relayledger.ledger.Actor;
import picocli.CommandLine.Option;

/** The options of every command; {@link Main} adds {@code --help} and {@code --version}. */
public final class CommonOptions {
  @Option(
      names = Main.CONFIG,
      paramLabel = "FILE",
      description = "Properties file with more options; also RELAY_CONFIG.")
  private Path config;

  @Option(
      names = {"-q", Main.QUIET},
      description = "Say nothing on success, one line on stderr otherwise.")
  private boolean quiet;

  @Option(
      names = {"-v", Main.VERBOSE},
      description = "Say more, stack traces included.")
  private boolean verbose;

  @Option(
      names = "--by",
      paramLabel = "NAME",
      description = "Who is acting, for the journal (default: the OS user, seen through sudo).")
  private String by;

  @Option(names = "--ticket", paramLabel = "ID", description = "The ticket, for the journal.")
  private String ticket;

  /** The file that options came from, if there was one. */
  public Optional<Path> config() {
    return Optional.ofNullable(config);
  }

  /** Whether to say nothing on success. */
  public boolean quiet() {
    return quiet;
  }

  /** Whether to say more. */
  public boolean verbose() {
    return verbose;
  }

  /** Who acts, for the journal: {@code --by}, else the user before sudo, else the login user. */
  public Actor actor(Actor.Role role, Map<String, String> environment) {
    String sudo = environment.getOrDefault("SUDO_USER", "");
    String user = sudo.isBlank() ? System.getProperty("user.name") : sudo;
    return new Actor(role, by == null || by.isBlank() ? user : by, ticket);
  }
}
