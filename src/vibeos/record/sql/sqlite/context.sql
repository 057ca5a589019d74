-- name: insert_context_row
INSERT INTO context_rows (session_id, id, context_seq, kind, message_id, payload, created_at)
VALUES (:session_id, :row_id, :context_seq, :kind, :message_id, :payload, :created_at)

-- name: response_row
SELECT id FROM context_rows
WHERE session_id = :session_id AND context_seq = :context_seq AND kind = 'response'

-- name: results_row
SELECT id FROM context_rows
WHERE session_id = :session_id AND context_seq = :context_seq AND kind = 'results'

-- name: context_rows
SELECT c.id, c.session_id, c.context_seq, c.kind, c.payload, c.created_at,
       m.id AS message_id, m.type, m.author_id, m.author_name, m.source, m.created_at AS message_created_at,
       CASE c.kind WHEN 'input' THEN m.content_text END AS content_text,
       CASE c.kind WHEN 'input' THEN m.content_json END AS content_json
FROM context_rows AS c
LEFT JOIN messages AS m ON m.id = c.message_id
WHERE c.session_id = :session_id AND c.id > :after_id
ORDER BY c.id
