package calls

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"agentflow/internal/ctime"
)

// Sight is a file at one moment. ChangedAt is its ctime; the zero time is a
// file that was not there.
type Sight struct {
	Path      string    `json:"path"`
	ChangedAt time.Time `json:"changed_at,omitzero"`
}

// Look sees how files stand now, whose names are absolute or relative to dir.
// Patterns, folders, and files of which nothing can be known are left out.
func Look(dir string, names []string) []Sight {
	var seen []Sight
	for _, name := range names[:min(len(names), maxNames)] {
		if strings.ContainsAny(name, "*?[") {
			continue
		}
		full := name
		if !filepath.IsAbs(name) {
			full = filepath.Join(dir, name)
		}
		info, err := os.Lstat(full)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			seen = append(seen, Sight{Path: name})
		case err == nil && !info.IsDir():
			if at, ok := ctime.Of(info); ok {
				seen = append(seen, Sight{Path: name, ChangedAt: at.UTC()})
			}
		}
	}
	return seen
}
