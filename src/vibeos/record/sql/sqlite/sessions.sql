-- name: insert_session
INSERT INTO sessions
  (id, title, title_is_set, source, user_id, project, backend, model, mode, parent_id, started_at, last_active_at)
VALUES
  (:id, :title, :title_is_set, :source, :user_id, :project, :backend, :model, :mode, :parent_id, :now, :now)
RETURNING *

-- name: session
SELECT * FROM sessions WHERE id = :session_id

-- name: sessions_that_begin
SELECT * FROM sessions
WHERE substr(id, 1, length(:prefix)) = :prefix AND (:user_id IS NULL OR user_id = :user_id)
ORDER BY id <> :prefix, last_active_at DESC, id DESC
LIMIT :most

-- name: list_sessions
SELECT * FROM sessions
WHERE (:project IS NULL OR project = :project)
  AND (:user_id IS NULL OR user_id = :user_id)
  AND (:source IS NULL OR source = :source)
  AND (NOT :spoken OR next_seq > 1 OR EXISTS (SELECT 1 FROM inbox WHERE inbox.session_id = sessions.id))
ORDER BY last_active_at DESC, id DESC
LIMIT :most OFFSET :skipped

-- name: count_sessions
SELECT count(*) AS sessions FROM sessions
WHERE (:project IS NULL OR project = :project)
  AND (:user_id IS NULL OR user_id = :user_id)
  AND (NOT :spoken OR next_seq > 1 OR EXISTS (SELECT 1 FROM inbox WHERE inbox.session_id = sessions.id))

-- name: rename_session
UPDATE sessions SET title = :title, title_is_set = :title_is_set WHERE id = :session_id RETURNING *

-- name: end_session
UPDATE sessions SET ended_at = :now WHERE id = :session_id RETURNING *

-- name: next_number
UPDATE sessions
SET next_seq = next_seq + 1,
    next_row = next_row + 1,
    message_count = message_count + 1,
    last_active_at = max(last_active_at, :now),
    ended_at = NULL,
    model = CASE WHEN :model = '' THEN model ELSE :model END
WHERE id = :session_id
RETURNING next_seq - 1 AS context_seq, next_row - 1 AS row_id, title,
  1 + max(
    (SELECT coalesce(max(id), 0) FROM messages), (SELECT coalesce(max(highest), 0) FROM given_ids)
  ) AS message_id

-- name: next_row
UPDATE sessions
SET next_row = next_row + 1, last_active_at = max(last_active_at, :now)
WHERE id = :session_id
RETURNING next_row - 1 AS row_id

-- name: take_title
UPDATE sessions SET title = :title WHERE id = :session_id

-- name: delete_session
DELETE FROM sessions WHERE id = :session_id

-- name: keep_given_ids
INSERT INTO given_ids (place, highest) SELECT 1, coalesce(max(id), 0) FROM messages WHERE true
ON CONFLICT (place) DO UPDATE SET highest = max(highest, excluded.highest)

-- name: delete_session_messages
DELETE FROM messages WHERE session_id = :session_id

-- name: delete_session_context
DELETE FROM context_rows WHERE session_id = :session_id

-- name: delete_session_inbox
DELETE FROM inbox WHERE session_id = :session_id

-- name: delete_session_deliveries
DELETE FROM deliveries WHERE session_id = :session_id

-- name: delete_session_questions
DELETE FROM questions WHERE session_id = :session_id

-- name: delete_session_skill_loads
DELETE FROM skill_loads WHERE session_id = :session_id

-- name: delete_session_snapshot
DELETE FROM snapshots WHERE session_id = :session_id
