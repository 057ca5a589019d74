-- Sessions, what was said in them, what a session resumes from, and the index for search.
-- Stamps are ISO 8601 text in UTC of one length, so that text order is time order.

CREATE TABLE sessions (
  id TEXT NOT NULL PRIMARY KEY,
  title TEXT NOT NULL,
  title_is_set INTEGER NOT NULL,          -- 0: taken from the first message, 1: somebody chose it
  source TEXT NOT NULL,
  user_id TEXT NOT NULL,
  project TEXT NOT NULL,
  backend TEXT NOT NULL,
  model TEXT NOT NULL,
  mode TEXT NOT NULL,
  parent_id TEXT REFERENCES sessions (id) ON DELETE SET NULL,
  started_at TEXT NOT NULL,
  last_active_at TEXT NOT NULL,
  ended_at TEXT,
  next_seq INTEGER NOT NULL DEFAULT 1,    -- the number that the next input or response takes
  next_row INTEGER NOT NULL DEFAULT 1,    -- the id that the next context row takes
  message_count INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

CREATE INDEX sessions_by_parent ON sessions (parent_id) WHERE parent_id IS NOT NULL;

-- The only copy of what was said. content_text is the text as far as a database can hold it; content_json, where
-- there is one, holds what the columns cannot: the exact text, the route by which an input came.
CREATE TABLE messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,   -- never given twice: search anchors rest on it
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

-- What a session resumes from, in the order of id. An input refers to its message; a response and its tool results
-- carry a payload that only the agent understands, and share one number.
CREATE TABLE context_rows (
  session_id TEXT NOT NULL REFERENCES sessions (id),
  id INTEGER NOT NULL,                    -- counts within the session
  context_seq INTEGER NOT NULL,
  kind TEXT NOT NULL,
  message_id INTEGER,
  payload TEXT NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (session_id, id)
) WITHOUT ROWID;

-- Inputs that have arrived and have not entered the context.
CREATE TABLE inbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL REFERENCES sessions (id),
  delivery_key TEXT NOT NULL,
  type TEXT NOT NULL,
  author_id TEXT NOT NULL,
  author_name TEXT NOT NULL,
  source TEXT NOT NULL,
  content_text TEXT NOT NULL,
  content_json TEXT,
  created_at TEXT NOT NULL
);

CREATE INDEX inbox_by_session ON inbox (session_id, id);

-- Keys that have been delivered, kept after the input was taken, so that it is never delivered twice.
CREATE TABLE deliveries (
  session_id TEXT NOT NULL REFERENCES sessions (id),
  delivery_key TEXT NOT NULL,
  inbox_id INTEGER NOT NULL,
  PRIMARY KEY (session_id, delivery_key)
) WITHOUT ROWID;

-- The curated memory as a session saw it when it began: UTF-8 bytes, the same for ever.
CREATE TABLE snapshots (
  session_id TEXT NOT NULL PRIMARY KEY REFERENCES sessions (id),
  text BLOB NOT NULL,
  taken_at TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE projects (
  path TEXT NOT NULL PRIMARY KEY,
  bound_at TEXT NOT NULL
) WITHOUT ROWID;

-- Work that was begun and must be finished, also after a crash.
CREATE TABLE chores (
  name TEXT NOT NULL PRIMARY KEY,
  place INTEGER NOT NULL
) WITHOUT ROWID;

-- The index: ready-made terms by message id. It holds no text and can be made again from the messages.
CREATE VIRTUAL TABLE words USING fts5 (
  own, around, content = '', contentless_delete = 1, tokenize = "ascii tokenchars '_.+#-'"
);

CREATE VIRTUAL TABLE word_counts USING fts5vocab (words, row);

-- Merge later and less often than by default: the longest waits of a writer are merges.
INSERT INTO words (words, rank) VALUES ('automerge', 16);
INSERT INTO words (words, rank) VALUES ('crisismerge', 32);
