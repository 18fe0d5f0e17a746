package files

import (
	"fmt"
	"testing"

	"agentflow/memory"
)

// TestSettle: a prompt shows the sure files without documents in passing. Where it shows no entry
// and none of these, it shows the likeliest that has some chance.
func TestSettle(t *testing.T) {
	doc := memory.LikelyFile{Path: "docs/login.md", Chance: 0.3, Why: "holds login", Sure: true}
	file := func(path string, chance float64) memory.LikelyFile {
		return memory.LikelyFile{Path: path, Chance: chance, Why: "named \"login\"", Sure: chance >= sureChance}
	}
	none := memory.LikelyFile{Path: "vague.go", Chance: 0.14}
	for want, c := range map[string]struct {
		entries bool
		list    []memory.LikelyFile
	}{
		"[a.go]":            {true, []memory.LikelyFile{doc, file("a.go", 0.2), file("b.go", 0.14)}},
		"[sure.go]":         {false, []memory.LikelyFile{file("sure.go", 0.2), file("b.go", 0.14)}},
		"[likeliest.go]":    {false, []memory.LikelyFile{doc, none, file("likeliest.go", 0.11), file("c.go", 0.1)}},
		"[] with an entry":  {true, []memory.LikelyFile{doc, file("b.go", 0.14)}},
		"[] of less chance": {false, []memory.LikelyFile{file("b.go", 0.09)}},
		"[] of no file":     {false, nil},
	} {
		task("login").Settle(c.list, c.entries)
		got := []string{}
		for _, f := range c.list {
			if f.Sure {
				got = append(got, f.Path)
			}
		}
		if have := fmt.Sprint(got); len(want) < len(have) || want[:len(have)] != have {
			t.Errorf("%s, want %s", have, want)
		}
	}
}
