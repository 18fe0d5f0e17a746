package app

import "path/filepath"

func MarksFile(state string) string { return filepath.Join(state, "reflogs.json") }
