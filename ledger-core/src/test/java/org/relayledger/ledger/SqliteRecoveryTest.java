package org.relayledger.ledger;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

final class SqliteRecoveryTest extends RecoveryContract {
  @TempDir Path dir;

  @Override
  String location() {
    return dir.resolve("ledger.db").toString();
  }

  @Override
  ByHand byHand() {
    return ByHand.sqlite(dir.resolve("ledger.db"));
  }
}
