-- name: insert_snapshot
INSERT INTO snapshots (session_id, text, taken_at) VALUES (:session_id, :text, :taken_at)
ON CONFLICT (session_id) DO NOTHING

-- name: snapshot
SELECT text FROM snapshots WHERE session_id = :session_id
