-- name: note_chore
INSERT INTO chores (name, place) VALUES (:name, :place) ON CONFLICT (name) DO UPDATE SET place = excluded.place

-- name: chores
SELECT name, place FROM chores ORDER BY name

-- name: finish_chore
DELETE FROM chores WHERE name = :name
