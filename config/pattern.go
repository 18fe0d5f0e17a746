package config

import (
	"fmt"
	"io/fs"
	"regexp/syntax"
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

// Bounds of the lists that a repository that is not trusted may set: how many
// items in all layers, and how large the programs of regular expressions may
// become, one and all, in instructions. An expression costs up to that many
// steps for every byte of every text that is stored.
const (
	maxItems   = 1000
	maxProgram = 300
	maxRegexps = 3000
)

// fewItems refuses a list that is too long.
func fewItems(v any) error {
	if items, err := texts(v); err == nil && len(items) > maxItems {
		return fmt.Errorf("want at most %d of them, have %d", maxItems, len(items))
	}
	return nil
}

// quickRegexps refuses expressions that take long.
func quickRegexps(v any) error {
	items, err := texts(v)
	if err != nil {
		return err
	}
	sum := 0
	for _, item := range items {
		n, err := programSize(item)
		if err != nil {
			return err
		}
		if sum += n; n > maxProgram {
			return fmt.Errorf("%.60q takes up to %d steps for every byte, and a repository may ask for %d: shorten it, or move it to your own config", item, n, maxProgram)
		}
	}
	if sum > maxRegexps {
		return fmt.Errorf("the expressions take up to %d steps for every byte together, and a repository may ask for %d: move them to your own config", sum, maxRegexps)
	}
	return nil
}

func programSize(expression string) (int, error) {
	tree, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return 0, err
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return 0, err
	}
	return len(program.Inst), nil
}
