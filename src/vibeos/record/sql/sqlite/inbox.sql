-- name: insert_input
INSERT INTO inbox
  (session_id, delivery_key, type, author_id, author_name, source, content_text, content_json, created_at)
VALUES
  (:session_id, :delivery_key, :type, :author_id, :author_name, :source, :content_text, :content_json, :created_at)
RETURNING id

-- name: delivered
SELECT inbox_id FROM deliveries WHERE session_id = :session_id AND delivery_key = :delivery_key

-- name: insert_delivery
INSERT INTO deliveries (session_id, delivery_key, inbox_id) VALUES (:session_id, :delivery_key, :inbox_id)

-- name: waiting
SELECT * FROM inbox WHERE session_id = :session_id ORDER BY id

-- name: is_anything_waiting
SELECT 1 AS waiting FROM inbox WHERE session_id = :session_id LIMIT 1

-- name: delete_input
DELETE FROM inbox WHERE id = :input_id
