-- Messages keep ids that are never given twice, without AUTOINCREMENT, which writes a page more for every message.

-- The highest id that a message had when messages were last deleted.
CREATE TABLE given_ids (
  place INTEGER PRIMARY KEY CHECK (place = 1),
  highest INTEGER NOT NULL
);

INSERT INTO given_ids (place, highest) SELECT 1, seq FROM sqlite_sequence WHERE name = 'messages';

CREATE TABLE new_messages (
  id INTEGER PRIMARY KEY,                 -- never given twice: search anchors rest on it (see given_ids)
  session_id TEXT NOT NULL REFERENCES sessions (id),
  context_seq INTEGER NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('user', 'assistant', 'harness', 'notice')),
  author_id TEXT NOT NULL,
  author_name TEXT NOT NULL,
  source TEXT NOT NULL,
  content_text TEXT NOT NULL,
  content_json TEXT,
  created_at TEXT NOT NULL,
  UNIQUE (session_id, context_seq)
);

INSERT INTO new_messages SELECT * FROM messages;
DROP TABLE messages;
ALTER TABLE new_messages RENAME TO messages;
