package config

import (
	"fmt"
	"maps"
	"slices"
)

// formerShares holds the settings that recall.standing replaced, with their
// defaults: shares of recall.budget, 0 to 1.
var formerShares = map[string]float64{"prompt.facts_share": 0.25, "prompt.notes_share": 0.1}

// formerShare is the value of such a setting in a file.
type formerShare struct {
	source string
	line   int
	value  float64
}

// takeFormer stores the value of a replaced setting, and reports whether the
// setting is one. A value out of range counts as the former default.
func (c *Config) takeFormer(source, name string, line int, value any) bool {
	share, former := formerShares[name]
	if !former {
		return false
	}
	switch n := value.(type) {
	case float64:
		if n >= 0 && n <= 1 {
			share = n
		}
	case int64:
		if n == 0 || n == 1 {
			share = float64(n)
		}
	}
	if c.former == nil {
		c.former = map[string]formerShare{}
	}
	c.former[name] = formerShare{source, line, share}
	return true
}

// adoptFormer sets recall.standing from the settings that it replaced, unless
// it is set itself. It reports a problem for each of them.
func (c *Config) adoptFormer() (problems []Problem) {
	if len(c.former) == 0 {
		return nil
	}
	const name = "recall.standing"
	if c.sources[name] == "" {
		share := 0.0
		for key, byDefault := range formerShares {
			if set, ok := c.former[key]; ok {
				byDefault = set.value
			}
			share += byDefault
		}
		c.Recall.Standing = int(share * float64(c.Recall.Budget))
	}
	for _, key := range slices.Sorted(maps.Keys(c.former)) {
		at := c.former[key]
		problems = append(problems, Problem{Source: at.source, Line: at.line, Key: key,
			Message: fmt.Sprintf("replaced by %s, a number of tokens, which is %d here: set that in its place", name, c.Recall.Standing)})
	}
	return problems
}
