-- name: insert_message
INSERT INTO messages
  (id, session_id, context_seq, type, author_id, author_name, source, content_text, content_json, created_at)
VALUES
  (:message_id, :session_id, :context_seq, :type, :author_id, :author_name, :source, :content_text, :content_json, :created_at)

-- name: message
SELECT * FROM messages WHERE id = :message_id

-- name: message_at
SELECT * FROM messages WHERE session_id = :session_id AND context_seq = :context_seq

-- name: session_messages
SELECT * FROM messages
WHERE session_id = :session_id AND context_seq > :after
  AND (:types = '' OR instr(:types, ',' || type || ',') > 0)
ORDER BY context_seq
LIMIT :most

-- name: typed_last
SELECT m.* FROM messages AS m JOIN sessions AS s ON s.id = m.session_id
WHERE m.type = 'user' AND s.user_id = :user_id
ORDER BY m.id DESC
LIMIT :most

-- name: messages_before
SELECT * FROM messages WHERE session_id = :session_id AND context_seq < :context_seq
ORDER BY context_seq DESC
LIMIT :most

-- name: messages_from
SELECT * FROM messages WHERE session_id = :session_id AND context_seq >= :context_seq
ORDER BY context_seq
LIMIT :most

-- name: typed_numbers
SELECT context_seq FROM messages
WHERE session_id = :session_id AND type = 'user' AND context_seq <= :up_to
ORDER BY context_seq

-- name: number_before
SELECT coalesce(max(context_seq), 0) AS number FROM messages WHERE session_id = :session_id AND context_seq < :below

-- name: first_input
SELECT coalesce(min(context_seq), 0) AS number FROM messages
WHERE session_id = :session_id AND type IN ('user', 'harness')
