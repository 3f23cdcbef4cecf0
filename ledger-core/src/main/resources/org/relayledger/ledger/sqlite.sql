-- The ledger on SQLite 3.37 or newer; any sqlite3 shell of that age can run this file and fires its
-- triggers. The CHECKs say what a row looks like in each state, the triggers which moves there are:
-- a slip at an SQL prompt is refused like a bug is.

CREATE TABLE ledger (
  seq INTEGER PRIMARY KEY CHECK (seq > 0),
  guid TEXT NOT NULL
    -- length() and GLOB see nothing beyond a NUL, so the bytes are counted too.
    CHECK (length(guid) BETWEEN 1 AND 128 AND length(CAST(guid AS BLOB)) = length(guid)
      AND guid NOT GLOB '*[^-A-Za-z0-9._:]*' AND guid GLOB '*[A-Za-z0-9]*'),
  channel TEXT,
  account TEXT,
  state TEXT NOT NULL CHECK (state IN ('RECEIVED', 'SENT', 'DONE', 'UNKNOWN', 'FAILED')),
  code TEXT,
  attempt INTEGER NOT NULL,
  content_type TEXT,
  fingerprint BLOB NOT NULL CHECK (length(fingerprint) = 32),
  scheme TEXT NOT NULL,
  request_sha256 BLOB NOT NULL CHECK (length(request_sha256) = 32),
  http_status INTEGER,
  reply_type TEXT,
  reply_sha256 BLOB,
  received_at INTEGER NOT NULL,
  sent_at INTEGER,
  ended_at INTEGER,
  done_at INTEGER,
  updated_at INTEGER NOT NULL,
  asked_at INTEGER,
  told_code TEXT,
  told_at INTEGER,
  ended_boot TEXT,
  ended_uptime INTEGER,
  request BLOB NOT NULL CHECK (length(request) > 0),
  reply BLOB,

  CHECK ((told_at IS NULL) = (told_code IS NULL)),
  CHECK ((ended_at IS NULL) = (ended_boot IS NULL) AND (ended_at IS NULL) = (ended_uptime IS NULL)),
  CHECK (CASE state
    WHEN 'DONE' THEN attempt >= 0 AND code IS NOT NULL AND done_at IS NOT NULL
      AND reply IS NOT NULL AND http_status IS NOT NULL AND http_status BETWEEN 200 AND 599
      AND reply_sha256 IS NOT NULL AND length(reply_sha256) = 32
    ELSE done_at IS NULL
      AND reply IS NULL AND http_status IS NULL AND reply_type IS NULL AND reply_sha256 IS NULL
  END),
  CHECK (CASE state
    WHEN 'RECEIVED' THEN attempt = 0 AND code IS NULL AND account IS NULL
      AND sent_at IS NULL AND ended_at IS NULL
    WHEN 'SENT' THEN attempt >= 1 AND code IS NULL AND account IS NOT NULL
      AND sent_at IS NOT NULL AND ended_at IS NULL
    WHEN 'UNKNOWN' THEN attempt >= 1 AND code IS 'E901' AND account IS NOT NULL
      AND sent_at IS NOT NULL
    WHEN 'FAILED' THEN attempt >= 1 AND code IS 'E902' AND account IS NOT NULL
      AND sent_at IS NOT NULL AND ended_at IS NOT NULL
    ELSE 1
  END)
) STRICT;

-- lower() folds ASCII only, so that ABC and abc are one GUID in every locale.
CREATE UNIQUE INDEX ledger_guid ON ledger (lower(guid));
-- Used only by queries that repeat the very term.
CREATE INDEX ledger_open ON ledger (state, seq) WHERE state <> 'DONE';
CREATE INDEX ledger_unknown ON ledger (COALESCE(asked_at, 0), seq) WHERE state = 'UNKNOWN';
CREATE INDEX ledger_untold ON ledger (seq)
  WHERE state = 'DONE' AND told_code IN ('E901', 'E902', 'E903');
CREATE INDEX ledger_done ON ledger (done_at, seq) WHERE state = 'DONE';

CREATE TABLE journal (
  -- A trigger sees -1 for an id that is still to be given: no entry may have it.
  id INTEGER PRIMARY KEY CHECK (id > 0),
  seq INTEGER,
  guid TEXT,
  attempt INTEGER,
  event TEXT NOT NULL CHECK (event IN ('move', 'inquiry', 'double_suspect', 'ack', 'mode')),
  from_state TEXT,
  to_state TEXT,
  code TEXT,
  actor TEXT NOT NULL,
  "by" TEXT NOT NULL,
  ticket TEXT,
  at INTEGER NOT NULL,
  note TEXT,
  CHECK (event = 'mode' OR (guid IS NOT NULL AND seq IS NOT NULL AND attempt IS NOT NULL))
) STRICT;

CREATE INDEX journal_seq ON journal (seq);
-- What is never deleted, whatever becomes of its row.
CREATE INDEX journal_kept ON journal (id)
  WHERE event = 'double_suspect' OR event = 'ack' OR event = 'mode';

CREATE TABLE settings (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE tombstones (
  guid TEXT NOT NULL,
  code TEXT NOT NULL,
  finished_at INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX tombstones_guid ON tombstones (lower(guid));

CREATE TRIGGER tombstones_update BEFORE UPDATE ON tombstones
BEGIN
  SELECT RAISE(ABORT, 'a tombstone does not change');
END;

-- REPLACE deletes the row in its way without firing any trigger; here nothing is left in its way.
-- IGNORE keeps the row counts that ON CONFLICT DO NOTHING promises.
CREATE TRIGGER ledger_insert_known BEFORE INSERT ON ledger
WHEN EXISTS (SELECT 1 FROM ledger WHERE lower(guid) = lower(NEW.guid))
  OR EXISTS (SELECT 1 FROM ledger WHERE seq = NEW.seq)
  OR EXISTS (SELECT 1 FROM tombstones WHERE lower(guid) = lower(NEW.guid))
BEGIN
  SELECT RAISE(IGNORE);
END;

CREATE TRIGGER ledger_insert_shape BEFORE INSERT ON ledger
WHEN ((NEW.state = 'SENT' AND NEW.attempt = 1)
  OR (NEW.state = 'RECEIVED' AND NEW.attempt = 0)) IS NOT TRUE
BEGIN
  SELECT RAISE(ABORT, 'a row begins as SENT with attempt 1 or as RECEIVED with attempt 0');
END;

CREATE TRIGGER ledger_update_frozen BEFORE UPDATE ON ledger
WHEN NEW.seq IS NOT OLD.seq OR NEW.guid IS NOT OLD.guid OR NEW.channel IS NOT OLD.channel
  OR NEW.content_type IS NOT OLD.content_type OR NEW.fingerprint IS NOT OLD.fingerprint
  OR NEW.scheme IS NOT OLD.scheme OR NEW.request_sha256 IS NOT OLD.request_sha256
  OR NEW.received_at IS NOT OLD.received_at
BEGIN
  SELECT RAISE(ABORT, 'seq, guid, channel, request and fingerprint of a row never change');
END;

CREATE TRIGGER ledger_update_request BEFORE UPDATE OF request ON ledger
WHEN NEW.request IS NOT OLD.request
BEGIN
  SELECT RAISE(ABORT, 'seq, guid, channel, request and fingerprint of a row never change');
END;

CREATE TRIGGER ledger_update_move BEFORE UPDATE ON ledger
WHEN NEW.state IS NOT OLD.state AND (CASE NEW.state
    WHEN 'SENT' THEN OLD.state IN ('RECEIVED', 'FAILED') AND NEW.attempt = OLD.attempt + 1
    WHEN 'DONE' THEN 1
    WHEN 'UNKNOWN' THEN OLD.state = 'SENT'
    WHEN 'FAILED' THEN OLD.state IN ('SENT', 'UNKNOWN')
    ELSE 0
  END) IS NOT TRUE
BEGIN
  SELECT RAISE(ABORT, 'the ledger does not allow this move');
END;

-- Where and when the last attempt was sent decides where and when a row may be asked about.
CREATE TRIGGER ledger_update_attempt BEFORE UPDATE ON ledger
WHEN (NEW.state IS OLD.state OR NEW.state IS NOT 'SENT')
  AND (NEW.attempt IS NOT OLD.attempt OR NEW.account IS NOT OLD.account
    OR NEW.sent_at IS NOT OLD.sent_at)
BEGIN
  SELECT RAISE(ABORT, 'attempt, account and time of sending change only when a row is claimed');
END;

CREATE TRIGGER ledger_update_ended BEFORE UPDATE ON ledger
WHEN OLD.ended_at IS NOT NULL AND NEW.state IS NOT 'SENT' AND (NEW.ended_at IS NOT OLD.ended_at
  OR NEW.ended_boot IS NOT OLD.ended_boot OR NEW.ended_uptime IS NOT OLD.ended_uptime)
BEGIN
  SELECT RAISE(ABORT, 'the end of an exchange is written once');
END;

CREATE TRIGGER ledger_update_done BEFORE UPDATE ON ledger
WHEN OLD.state = 'DONE' AND (NEW.state IS NOT 'DONE' OR NEW.code IS NOT OLD.code
  OR NEW.http_status IS NOT OLD.http_status OR NEW.reply_type IS NOT OLD.reply_type
  OR NEW.reply_sha256 IS NOT OLD.reply_sha256 OR NEW.done_at IS NOT OLD.done_at)
BEGIN
  SELECT RAISE(ABORT, 'a DONE row does not change');
END;

CREATE TRIGGER ledger_update_reply BEFORE UPDATE OF reply ON ledger
WHEN OLD.state = 'DONE' AND NEW.reply IS NOT OLD.reply
BEGIN
  SELECT RAISE(ABORT, 'a DONE row does not change');
END;

CREATE TRIGGER ledger_delete BEFORE DELETE ON ledger
WHEN OLD.state IS NOT 'DONE'
BEGIN
  SELECT RAISE(ABORT, 'only DONE rows may be deleted');
END;

CREATE TRIGGER ledger_delete_tombstone AFTER DELETE ON ledger
BEGIN
  INSERT INTO tombstones (guid, code, finished_at) VALUES (OLD.guid, OLD.code, OLD.done_at);
END;

CREATE TRIGGER journal_insert BEFORE INSERT ON journal
WHEN EXISTS (SELECT 1 FROM journal WHERE id = NEW.id)
BEGIN
  SELECT RAISE(ABORT, 'the journal is only added to');
END;

CREATE TRIGGER journal_update BEFORE UPDATE ON journal
BEGIN
  SELECT RAISE(ABORT, 'the journal is only added to');
END;

-- What purge deletes with its row, and inconclusive inquiries that a newer one replaces.
CREATE TRIGGER journal_delete BEFORE DELETE ON journal
WHEN OLD.event IN ('double_suspect', 'ack', 'mode')
  OR ((OLD.event = 'move' OR OLD.to_state IS NOT NULL)
    AND EXISTS (SELECT 1 FROM ledger WHERE lower(guid) = lower(OLD.guid)))
BEGIN
  SELECT RAISE(ABORT, 'the journal is only added to');
END;

PRAGMA application_id = 1380730706;
PRAGMA user_version = 1;
