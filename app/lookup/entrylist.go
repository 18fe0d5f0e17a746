package lookup

import (
	"path/filepath"

	"agentflow/memory"
)

// MayHold returns a function that reports whether a file may hold entries after the cursor. Files
// of later days hold none. It accepts every file if the cursor is nil or whole is set.
func (last *Cursor) MayHold(whole bool) func(path string) bool {
	if last == nil || whole {
		return func(string) bool { return true }
	}
	latest := memory.DayFile(last.Time.AddDate(0, 0, 2))
	return func(path string) bool {
		name := filepath.Base(path)
		_, day := memory.DayOf(name)
		return !day || name <= latest
	}
}
