package config

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Bounds of a pattern: one that can match in many ways takes that many steps
// to fail, and a repository that somebody else wrote may set it.
const (
	maxPattern = 256 // bytes
	maxBraces  = 2
	maxStars   = 8
)

// isPattern checks a pattern over paths of the repository: '*' within a
// folder, '**' across folders.
func isPattern(s string) error {
	if len(s) > maxPattern || strings.Count(s, "{") > maxBraces || strings.Count(s, "*") > maxStars {
		return fmt.Errorf("want a pattern of at most %d bytes, %d braces and %d stars, have %.40q", maxPattern, maxBraces, maxStars, s)
	}
	path := strings.TrimSuffix(strings.TrimPrefix(s, "./"), "/")
	if !doublestar.ValidatePattern(path) {
		return fmt.Errorf("%q is no pattern", s)
	}
	if !fs.ValidPath(path) || path == "." {
		return fmt.Errorf("want a pattern relative to the repository, '/' separated, have %q", s)
	}
	return nil
}
