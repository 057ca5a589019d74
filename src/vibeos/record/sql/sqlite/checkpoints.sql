-- name: insert_checkpoint
INSERT INTO checkpoints (session_id, row_id, parent_row, mode, covers, mind, memo, now, more, sizes, usage, problems, model,
                         created_at)
VALUES (:session_id, :row_id, :parent_row, :mode, :covers, :mind, :memo, :now, :more, :sizes, :usage, :problems, :model,
        :created_at)

-- name: latest_checkpoint
SELECT * FROM checkpoints WHERE session_id = :session_id ORDER BY row_id DESC LIMIT 1

-- name: session_checkpoints
SELECT * FROM checkpoints WHERE session_id = :session_id ORDER BY row_id

-- name: delete_replaced_rows
DELETE FROM context_rows
WHERE session_id = :session_id
  AND id < :row_id
  AND (kind = 'checkpoint' OR (id < :keeps_from AND id NOT IN (SELECT value FROM json_each(:kept))))

-- name: insert_attempt
INSERT INTO checkpoint_attempts (session_id, number, mode, outcome, reason, problems, requests, usage, size_before,
                                 size_after, row_id, model, started_at, ended_at)
SELECT id, 1 + (SELECT coalesce(max(number), 0) FROM checkpoint_attempts WHERE session_id = :session_id), :mode, :outcome,
       :reason, :problems, :requests, :usage, :size_before, :size_after, :row_id, :model, :started_at, :ended_at
FROM sessions WHERE id = :session_id

-- name: session_attempts
SELECT * FROM checkpoint_attempts WHERE session_id = :session_id ORDER BY number

-- name: replace_payload
UPDATE context_rows SET payload = :payload WHERE session_id = :session_id AND id = :row_id AND kind = 'results'

-- name: delete_session_checkpoints
DELETE FROM checkpoints WHERE session_id = :session_id

-- name: delete_session_attempts
DELETE FROM checkpoint_attempts WHERE session_id = :session_id
