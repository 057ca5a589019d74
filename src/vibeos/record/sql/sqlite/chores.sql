-- name: note_chore
INSERT INTO chores (name, place) VALUES (:name, :place) ON CONFLICT (name) DO UPDATE SET place = excluded.place

-- name: note_another_chore
INSERT INTO chores (name, place) VALUES (:name, 1) ON CONFLICT (name) DO UPDATE SET place = place + 1

-- name: finish_chore_at
DELETE FROM chores WHERE name = :name AND place = :place

-- name: chores
SELECT name, place FROM chores ORDER BY name

-- name: finish_chore
DELETE FROM chores WHERE name = :name
