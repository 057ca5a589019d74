-- What the migrations make, for reading and for comparing. Written by tests/record/schema_dump.py.

CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL);

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

CREATE TABLE deliveries (
  session_id TEXT NOT NULL REFERENCES sessions (id),
  delivery_key TEXT NOT NULL,
  inbox_id INTEGER NOT NULL,
  PRIMARY KEY (session_id, delivery_key)
) WITHOUT ROWID;

CREATE TABLE snapshots (
  session_id TEXT NOT NULL PRIMARY KEY REFERENCES sessions (id),
  text BLOB NOT NULL,
  taken_at TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE projects (
  path TEXT NOT NULL PRIMARY KEY,
  bound_at TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE chores (
  name TEXT NOT NULL PRIMARY KEY,
  place INTEGER NOT NULL
) WITHOUT ROWID;

CREATE VIRTUAL TABLE words USING fts5 (
  own, around, content = '', contentless_delete = 1, tokenize = "ascii tokenchars '_.+#-'"
);

CREATE VIRTUAL TABLE word_counts USING fts5vocab (words, row);

CREATE TABLE given_ids (
  place INTEGER PRIMARY KEY CHECK (place = 1),
  highest INTEGER NOT NULL
);

CREATE TABLE "messages" (
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

CREATE TABLE questions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,   -- never given twice: an answer must not reach another question
  session_id TEXT NOT NULL REFERENCES sessions (id),
  question TEXT NOT NULL,
  choices TEXT NOT NULL,                  -- a JSON list of texts; empty: any answer
  asked_at TEXT NOT NULL,
  answered_at TEXT                        -- NULL: still open
);

CREATE INDEX questions_by_session ON questions (session_id, id);

CREATE TABLE skill_loads (
  id INTEGER PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES sessions (id),
  name TEXT NOT NULL,
  path TEXT NOT NULL,
  after_seq INTEGER NOT NULL,             -- the session's newest number when it was loaded
  loaded_at TEXT NOT NULL
);

CREATE INDEX skill_loads_by_session ON skill_loads (session_id, id);

CREATE TABLE checkpoints (
  session_id TEXT NOT NULL REFERENCES sessions (id),
  row_id INTEGER NOT NULL,                -- its row in the context
  parent_row INTEGER,                     -- the checkpoint before it
  mode TEXT NOT NULL CHECK (mode IN ('full', 'partial', 'drop')),
  covers INTEGER NOT NULL,                -- the newest number that it stands in for
  mind TEXT NOT NULL,                     -- whole, as JSON
  memo TEXT NOT NULL,                     -- which messages of the person are carried, as JSON; never their text
  now TEXT NOT NULL,
  more TEXT NOT NULL,                     -- what the program knows: files, saves, a log of work; as JSON
  sizes TEXT NOT NULL,                    -- tokens of each part, as JSON
  usage TEXT NOT NULL,                    -- tokens that making it took, as JSON
  problems TEXT NOT NULL,                 -- a JSON list: what was wrong and how it was settled
  model TEXT NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (session_id, row_id)
) WITHOUT ROWID;

CREATE TABLE checkpoint_attempts (
  session_id TEXT NOT NULL REFERENCES sessions (id),
  number INTEGER NOT NULL,                -- counts within the session
  mode TEXT NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('made', 'failed')),
  reason TEXT NOT NULL,
  problems TEXT NOT NULL,                 -- a JSON list
  requests INTEGER NOT NULL,
  usage TEXT NOT NULL,
  size_before INTEGER NOT NULL,
  size_after INTEGER NOT NULL,
  row_id INTEGER,                         -- the checkpoint that came of it
  model TEXT NOT NULL,
  started_at TEXT NOT NULL,
  ended_at TEXT NOT NULL,
  PRIMARY KEY (session_id, number)
) WITHOUT ROWID;
