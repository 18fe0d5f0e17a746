// Package pathglob matches paths of a repository against patterns: '*' matches
// within a folder, '**' across folders.
package pathglob

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Limits of a pattern. A pattern that can match in many ways takes that many
// steps to fail, and an untrusted repository may set it.
const (
	maxPattern = 256 // bytes
	maxBraces  = 2
	maxStars   = 8
)

// Check checks a pattern.
func Check(pattern string) error {
	if len(pattern) > maxPattern || strings.Count(pattern, "{") > maxBraces || strings.Count(pattern, "*") > maxStars {
		return fmt.Errorf("want a pattern of at most %d bytes, %d braces and %d stars, have %.40q", maxPattern, maxBraces, maxStars, pattern)
	}
	path := clean(pattern)
	if !doublestar.ValidatePattern(path) {
		return fmt.Errorf("%q is no pattern", pattern)
	}
	if !fs.ValidPath(path) || path == "." {
		return fmt.Errorf("want a pattern relative to the repository, '/' separated, have %q", pattern)
	}
	return nil
}

// Match reports whether a pattern that Check accepts matches a '/' separated path. A
// pattern that it does not accept matches nothing.
func Match(pattern, path string) bool {
	ok, err := doublestar.Match(clean(pattern), path)
	return ok && err == nil
}

// Folder returns the folder that a pattern begins with: "web" of "web/**/*.ts". A pattern
// without special characters is returned as it is; "" means that it begins with none.
func Folder(pattern string) string {
	pattern = clean(pattern)
	if Plain(pattern) {
		return pattern
	}
	folder, _ := doublestar.SplitPattern(pattern)
	return strings.TrimPrefix(folder, ".")
}

// Plain reports whether a pattern matches only the path that is equal to it.
func Plain(pattern string) bool { return !strings.ContainsAny(pattern, `*?[{\`) }

// clean drops the parts that make no difference: "./" before a pattern and "/"
// after it.
func clean(pattern string) string {
	return strings.TrimSuffix(strings.TrimPrefix(pattern, "./"), "/")
}
