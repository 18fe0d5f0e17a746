package app

import "path/filepath"

// SessionsFolder holds one folder for each session of an agent.
func SessionsFolder(s *Repo) string { return filepath.Join(s.State(), "sessions") }
