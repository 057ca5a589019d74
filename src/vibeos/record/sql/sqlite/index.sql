-- name: texts_before
SELECT substr(content_text, 1, :longest + 1) AS text FROM messages
WHERE session_id = :session_id AND context_seq < :context_seq AND content_text <> ''
ORDER BY context_seq DESC
LIMIT :most

-- name: index_message
INSERT INTO words (rowid, own, around) VALUES (:message_id, :own, :around)

-- name: unindex_session
DELETE FROM words WHERE rowid IN (
  SELECT id FROM messages
  WHERE session_id = :session_id AND content_text <> '' AND id <= (SELECT coalesce(max(id), 0) FROM words_docsize)
)

-- name: empty_index
INSERT INTO words (words) VALUES ('delete-all')

-- name: merge_index
INSERT INTO words (words, rank) VALUES ('merge', -:pages)

-- name: messages_to_index
SELECT id, session_id, context_seq, author_name, content_text, created_at FROM messages
WHERE id > max(:after, (SELECT coalesce(max(id), 0) FROM words_docsize)) AND content_text <> ''
ORDER BY id
LIMIT :most

-- name: count_unindexed
SELECT count(*) AS messages FROM messages
WHERE id > (SELECT coalesce(max(id), 0) FROM words_docsize) AND id <= :until AND content_text <> ''

-- name: newest_message
SELECT coalesce(max(id), 0) AS id FROM messages
