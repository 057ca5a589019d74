-- name: count_postings
SELECT count(*) AS postings FROM (SELECT 1 FROM words WHERE words MATCH :expression LIMIT :most)

-- name: terms_that_begin
SELECT term FROM word_counts WHERE term >= :first AND term < :last LIMIT :most

-- name: found_by_rank
SELECT m.*, w.rank AS rank, s.title AS session_title, s.project AS session_project
FROM words AS w
CROSS JOIN messages AS m ON m.id = w.rowid
CROSS JOIN sessions AS s ON s.id = m.session_id
WHERE w.words MATCH :expression AND w.rank MATCH 'bm25(1.0, 0.3)'
  AND (:project IS NULL OR s.project = :project)
  AND (:user_id IS NULL OR s.user_id = :user_id)
  AND s.id <> :exclude_session
ORDER BY w.rank
LIMIT :most

-- name: found_by_age
SELECT m.*, 0.0 AS rank, s.title AS session_title, s.project AS session_project
FROM (SELECT rowid AS id FROM words WHERE words MATCH :expression ORDER BY rowid DESC LIMIT :postings) AS w
CROSS JOIN messages AS m ON m.id = w.id
CROSS JOIN sessions AS s ON s.id = m.session_id
WHERE (:project IS NULL OR s.project = :project)
  AND (:user_id IS NULL OR s.user_id = :user_id)
  AND s.id <> :exclude_session
ORDER BY m.id DESC
LIMIT :most
