package config

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// isPattern checks a pattern over paths of the repository: '*' within a
// folder, '**' across folders.
func isPattern(s string) error {
	path := strings.TrimSuffix(strings.TrimPrefix(s, "./"), "/")
	if !doublestar.ValidatePattern(path) {
		return fmt.Errorf("%q is no pattern", s)
	}
	if !fs.ValidPath(path) || path == "." {
		return fmt.Errorf("want a pattern relative to the repository, '/' separated, have %q", s)
	}
	return nil
}
