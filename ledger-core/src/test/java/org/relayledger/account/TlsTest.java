package org.relayledger.account;

import static org.assertj.core.api.Assertions.assertThat;
import static org.relayledger.account.ScriptedServer.answering;
import static org.relayledger.account.ScriptedServer.sized;

import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.relayledger.account.ScriptedServer.Script;
import org.relayledger.ledger.Guid;
import org.relayledger.ledger.Outcome;
import org.relayledger.ledger.Steps;

/** The gate stays shut until the TLS handshake is done, and knows nothing of what follows. */
@Timeout(120)
final class TlsTest {
  private static final Guid GUID = new Guid("T-1");
  private static final byte[] BODY = "{\"guid\":\"T-1\"}".getBytes(StandardCharsets.UTF_8);
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Script OK = answering(sized("200 OK", "{\"code\":\"0000\"}"));
  private static final char[] PASSWORD = "changeit".toCharArray();

  @TempDir private static Path dir;
  private static SSLContext trusted;

  @BeforeAll
  static void makeACertificateForLocalhost() throws Exception {
    Path file = dir.resolve("server.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "server",
                "-dname",
                "CN=localhost",
                "-ext",
                "SAN=dns:localhost",
                "-keyalg",
                "EC",
                "-storetype",
                "PKCS12",
                "-keystore",
                file.toString(),
                "-storepass",
                new String(PASSWORD))
            .redirectErrorStream(true)
            .redirectOutput(dir.resolve("keytool.log").toFile())
            .start();
    assertThat(keytool.waitFor()).isZero();
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      store.load(in, PASSWORD);
    }
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, PASSWORD);
    KeyStore roots = KeyStore.getInstance("PKCS12");
    roots.load(null, null);
    roots.setCertificateEntry("server", store.getCertificate("server"));
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(roots);
    server = SSLContext.getInstance("TLS");
    server.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    trusted = SSLContext.getInstance("TLS");
    trusted.init(null, trust.getTrustManagers(), null);
  }

  private static SSLContext server;

  private static SSLServerSocket listener() throws Exception {
    SSLServerSocket socket = (SSLServerSocket) server.getServerSocketFactory().createServerSocket();
    socket.setReceiveBufferSize(16 * 1024);
    socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    return socket;
  }

  private static AccountSystem account(String url) {
    return new AccountSystem(AccountOptions.at(url), LONG, Steps.NONE, trusted);
  }

  private static Outcome send(AccountSystem account) {
    return account.send(GUID, 1, null, BODY, () -> true).await(LONG).orElseThrow();
  }

  @Test
  void aTrustedServerGetsTheRequestOnce() throws Exception {
    try (ScriptedServer scripted = new ScriptedServer(listener(), "https", OK)) {
      AccountSystem account = account(scripted.url());

      assertThat(account.probe()).isEmpty();
      assertThat(send(account)).isInstanceOf(Outcome.Done.class);
      assertThat(scripted.surplus()).isZero();
      assertThat(scripted.requests()).hasSize(1);
    }
  }

  @Test
  void anUntrustedServerGetsNothing() throws Exception {
    try (ScriptedServer scripted = new ScriptedServer(listener(), "https", OK)) {
      AccountSystem account =
          new AccountSystem(AccountOptions.at(scripted.url()), LONG, Steps.NONE);

      assertThat(send(account))
          .isInstanceOfSatisfying(
              Outcome.NotSent.class,
              notSent ->
                  assertThat(notSent.note())
                      .startsWith("TLS failed: ")
                      .doesNotContain("Exception", "java", "sun."));
      assertThat(account.probe().orElseThrow()).startsWith("TLS failed: ");
      assertThat(scripted.requests()).isEmpty();
    }
  }

  @Test
  void aServerWithAnotherNameGetsNothing() throws Exception {
    try (ScriptedServer scripted = new ScriptedServer(listener(), "https", OK)) {
      AccountSystem account = account(scripted.url().replace("localhost", "127.0.0.1"));

      assertThat(send(account)).isInstanceOf(Outcome.NotSent.class);
      assertThat(account.probe()).isPresent();
      assertThat(scripted.requests()).isEmpty();
    }
  }

  @Test
  void aServerThatSpeaksNoTlsGetsNothing() throws Exception {
    ServerSocket plain = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Script garbage =
        peer -> {
          peer.in().read();
          peer.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
          peer.untilClosed();
        };
    try (ScriptedServer scripted = new ScriptedServer(plain, "https", garbage)) {
      assertThat(send(account(scripted.url())))
          .isInstanceOfSatisfying(
              Outcome.NotSent.class,
              notSent -> assertThat(notSent.note()).startsWith("TLS failed: "));
      scripted.surplus();
    }
  }

  @Test
  void aHandshakeThatStallsTimesOutWithNothingSent() throws Exception {
    ServerSocket plain = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    try (ScriptedServer scripted = new ScriptedServer(plain, "https", peer -> peer.untilClosed())) {
      AccountOptions defaults = AccountOptions.at(scripted.url());
      AccountOptions impatient =
          new AccountOptions(
              defaults.accountUrl(),
              null,
              LONG,
              Duration.ofMillis(500),
              defaults.headers(),
              defaults.codePointer(),
              defaults.guidPointer(),
              defaults.finalCodes(),
              defaults.notSentCodes(),
              defaults.inquiryFinalCodes(),
              defaults.absentCode(),
              defaults.maxReply());
      AccountSystem account = new AccountSystem(impatient, LONG, Steps.NONE, trusted);

      assertThat(send(account)).isEqualTo(new Outcome.NotSent("connecting timed out"));
      assertThat(account.probe()).isPresent();
      scripted.surplus();
    }
  }

  @Test
  void aClientCertificateThatIsMissedAfterTheRequestWasWrittenIsDoubt() throws Exception {
    SSLServerSocket strict = listener();
    strict.setEnabledProtocols(new String[] {"TLSv1.3"});
    strict.setNeedClientAuth(true);
    try (ScriptedServer scripted = new ScriptedServer(strict, "https", OK)) {
      assertThat(send(account(scripted.url()))).isInstanceOf(Outcome.InDoubt.class);
      scripted.surplus();
      assertThat(scripted.requests()).isEmpty();
    }
  }

  @Test
  void afterTheEndNotOneMoreByteOfTheBodyGoesOut() throws Exception {
    byte[] body = new byte[32 * 1024 * 1024];
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    Script slow =
        peer -> {
          peer.head();
          peer.in().readNBytes(1);
          begun.countDown();
          ended.await();
          peer.untilClosed();
        };
    try (ScriptedServer scripted = new ScriptedServer(listener(), "https", slow)) {
      Exchange exchange = account(scripted.url()).send(GUID, 1, null, body, () -> true);
      begun.await();

      assertThat(exchange.end("no reply")).isEqualTo(new Outcome.InDoubt("no reply", false));
      ended.countDown();

      assertThat(scripted.surplus()).isLessThan(body.length / 2);
    }
  }

  @Test
  void aProbeOpensAConnectionAndSendsNothing() throws Exception {
    try (ScriptedServer scripted = new ScriptedServer(peer -> peer.untilClosed())) {
      AccountSystem account =
          new AccountSystem(AccountOptions.at(scripted.url()), LONG, Steps.NONE);

      assertThat(account.probe()).isEmpty();
      assertThat(scripted.surplus()).isZero();
    }
  }

  @Test
  void aProbeThatFindsNobodySaysSo() throws Exception {
    ServerSocket gone = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    gone.close();
    AccountOptions options = AccountOptions.at("http://localhost:" + gone.getLocalPort() + "/t");

    assertThat(new AccountSystem(options, LONG, Steps.NONE).probe().orElseThrow())
        .startsWith("no connection");
  }
}
