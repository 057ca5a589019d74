-- name: insert_skill_load
INSERT INTO skill_loads (session_id, name, path, after_seq, loaded_at)
SELECT id, :name, :path, next_seq - 1, :now FROM sessions WHERE id = :session_id
RETURNING *

-- name: session_skill_loads
SELECT * FROM skill_loads
WHERE id IN (SELECT max(id) FROM skill_loads WHERE session_id = :session_id GROUP BY name)
ORDER BY id DESC
