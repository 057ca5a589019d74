-- What a session's work leaves beside its messages: questions to the person, and skills that it loaded.

-- A question that nobody was there to answer. The answer itself is a message, its only copy.
CREATE TABLE questions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,   -- never given twice: an answer must not reach another question
  session_id TEXT NOT NULL REFERENCES sessions (id),
  question TEXT NOT NULL,
  choices TEXT NOT NULL,                  -- a JSON list of texts; empty: any answer
  asked_at TEXT NOT NULL,
  answered_at TEXT                        -- NULL: still open
);

CREATE INDEX questions_by_session ON questions (session_id, id);

-- Each time that a session loaded a skill: checkpoints put back what was loaded last.
CREATE TABLE skill_loads (
  id INTEGER PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES sessions (id),
  name TEXT NOT NULL,
  path TEXT NOT NULL,
  after_seq INTEGER NOT NULL,             -- the session's newest number when it was loaded
  loaded_at TEXT NOT NULL
);

CREATE INDEX skill_loads_by_session ON skill_loads (session_id, id);
