-- What stands in for the older part of a conversation, and every attempt to make it.

-- One checkpoint. Its text as the model reads it is the context row's; here are its parts. The newest one is in force.
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

-- One attempt, also one that failed.
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
