-- name: bind_project
INSERT INTO projects (path, bound_at) VALUES (:path, :now) ON CONFLICT (path) DO NOTHING

-- name: unbind_project
DELETE FROM projects WHERE path = :path

-- name: list_projects
SELECT path FROM projects ORDER BY path
