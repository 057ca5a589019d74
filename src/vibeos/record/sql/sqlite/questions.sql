-- name: insert_question
INSERT INTO questions (session_id, question, choices, asked_at)
VALUES (:session_id, :question, :choices, :now)
RETURNING *

-- name: question
SELECT * FROM questions WHERE id = :question_id

-- name: open_questions
SELECT questions.* FROM questions JOIN sessions ON sessions.id = questions.session_id
WHERE questions.answered_at IS NULL
  AND (:session_id IS NULL OR questions.session_id = :session_id)
  AND (:user_id IS NULL OR sessions.user_id = :user_id)
ORDER BY questions.id

-- name: mark_answered
UPDATE questions SET answered_at = :now WHERE id = :question_id AND answered_at IS NULL
