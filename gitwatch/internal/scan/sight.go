package scan

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"agentflow/gitwatch/internal/rules"
)

// Sight returns a function that reports whether git looks at an untracked path. It does not look at
// one that is ignored, behind a link, or in a nested repository.
func (w *WorkTree) Sight() (looksAt func(name string) bool, err error) {
	set, err := w.Settings()
	if err != nil {
		return nil, err
	}
	ignores, err := rules.ReadIgnores(w.Top, set.ExcludesFile, filepath.Join(w.CommonDir, "info", "exclude"))
	if err != nil {
		return nil, fmt.Errorf("read git's ignore rules: %w", err)
	}
	return func(name string) bool {
		if strings.EqualFold(path.Base(name), ".git") {
			return false
		}
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			info, err := os.Lstat(w.Full(dir))
			if strings.EqualFold(path.Base(dir), ".git") || err == nil && info.Mode()&os.ModeSymlink != 0 || isRepository(w.Full(dir)) {
				return false
			}
		}
		ignored, err := ignores.Ignored(name, false)
		return err == nil && !ignored
	}, nil
}
