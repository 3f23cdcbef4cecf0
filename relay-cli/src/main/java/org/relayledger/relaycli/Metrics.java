package org.relayledger.relaycli;

import java.util.Arrays;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.relayledger.relay.Answer;
import org.relayledger.relay.Problem;
import org.relayledger.relay.Relay;

/** What the hub has answered since it started, in Prometheus's text format. */
final class Metrics {
  private static final String FRESH = "fresh";
  private static final String REPLAYED = "replayed";

  private final Relay relay;
  private final TreeMap<String, LongAdder> answers = new TreeMap<>();

  Metrics(Relay relay) {
    this.relay = relay;
    Stream.concat(Stream.of(FRESH, REPLAYED), Arrays.stream(Problem.values()).map(Problem::name))
        .forEach(kind -> answers.put(kind, new LongAdder()));
  }

  void count(Answer answer) {
    String kind =
        answer instanceof Answer.Refused refused
            ? refused.problem().name()
            : ((Answer.Definite) answer).replayed() ? REPLAYED : FRESH;
    answers.get(kind).increment();
  }

  String text() {
    return "# TYPE relay_answers_total counter\n"
        + answers.entrySet().stream()
            .map(e -> "relay_answers_total{kind=\"" + e.getKey() + "\"} " + e.getValue().sum())
            .collect(Collectors.joining("\n", "", "\n"))
        + "# TYPE relay_exchanges_open gauge\nrelay_exchanges_open "
        + relay.inFlight()
        + "\n# TYPE relay_late_replies_total counter\nrelay_late_replies_total "
        + relay.lateReplies()
        + "\n";
  }
}
