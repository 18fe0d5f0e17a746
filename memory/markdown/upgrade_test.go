package markdown

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"agentflow/internal/testing/memorytest"
	"agentflow/internal/testing/randomtest"
	"agentflow/memory"
)

func TestUpgrade(t *testing.T) {
	run := memorytest.RunEntry(t)
	note := func(id, text string) memory.Entry {
		return memory.Entry{ID: "n" + id, Kind: memory.KindNote, Time: memorytest.At(t, memorytest.Day), Facts: []memory.Fact{{ID: "f" + id, Text: text}}}
	}
	one, two, three := note("1", "One."), note("2", "Two."), note("3", "Three.")
	edited := strings.Replace(string(Format(run)), "None\n", "None\nBut it was slow.\n", 1)
	v1 := func(list ...memory.Entry) (text string) {
		for _, e := range list {
			text += string(Format(e))
		}
		return text
	}
	v2 := func(list ...memory.Entry) (text string) {
		for _, e := range list {
			text += string(FormatV2(e))
		}
		return text
	}
	for name, c := range map[string]struct {
		before, after string
		entries       int
	}{
		"entries":        {"# Day\n\n" + v1(run) + "Mine.\n\n" + v1(run), "# Day\n\n" + v2(run) + "Mine.\n\n" + v2(run), 2},
		"notes":          {"# Day\n\n" + v1(one, run, two), "# Day\n\n## Notes\n\n" + v2(one, two) + "\n" + v2(run), 3},
		"more notes":     {"# Day\n\n" + v1(one) + "## Notes\n\n" + v2(two) + "\n" + v1(three), "# Day\n\n## Notes\n\n" + v2(one, three, two) + "\n", 2},
		"days":           {"# 2026-11-01\n\n" + v1(one) + "# 2026-11-02\n\n" + v1(two), "# 2026-11-01\n\n## Notes\n\n" + v2(one) + "\n# 2026-11-02\n\n## Notes\n\n" + v2(two) + "\n", 2},
		"edited by hand": {edited + v1(one), edited + "## Notes\n\n" + v2(one) + "\n", 1},
		"a pair of mine": {strings.Replace(v1(run), "kind=run", "kind=run mood=grim", 1), strings.Replace(v1(run), "kind=run", "kind=run mood=grim", 1), 0},
		"older":          {strings.NewReplacer(" certainty=sl/p", "", " (possibly)", "").Replace(v1(run)), "", 1},
		"nothing":        {"Mine.\n", "Mine.\n", 0},
		"done":           {v2(run), v2(run), 0},
	} {
		t.Run(name, func(t *testing.T) {
			for _, eol := range []string{"\n", "\r\n"} {
				in := func(s string) string { return strings.ReplaceAll(s, "\n", eol) }
				got, n := Upgrade([]byte(in(c.before)))
				if n != c.entries || c.after != "" && string(got) != in(c.after) {
					t.Errorf("%d entries, %q:\n%s\nwant\n%s", n, eol, got, c.after)
				}
				if again, n := Upgrade(got); n != 0 || !bytes.Equal(again, got) {
					t.Errorf("upgraded twice: %d\n%s", n, again)
				}
			}
		})
	}
}

// TestUpgradeLosesNothing compares what random files say before and after.
func TestUpgradeLosesNothing(t *testing.T) {
	randomtest.Check(t, 500, func(t *testing.T, rnd *rand.Rand) {
		var src []byte
		want := map[string]string{}
		for i := range 1 + rnd.IntN(5) {
			s := source{randomBytes(rnd, 600)}
			e := s.entry()
			e.ID = string(rune('a' + i))
			for k := range e.Facts {
				e.Facts[k].ID = e.ID + string(rune('0'+k))
			}
			if rnd.IntN(3) == 0 {
				src = append(src, "A line of mine.\n\n"...)
			}
			src = append(src, Format(e)...)
			want[e.ID] = string(FormatV2(e))
		}
		got, n := Upgrade(src)
		if n != len(want) || bytes.Count(got, []byte("A line of mine.\n\n")) != bytes.Count(src, []byte("A line of mine.\n\n")) {
			t.Fatalf("%d of %d entries in %q", n, len(want), got)
		}
		for _, e := range Parse(got).Entries() {
			if string(FormatV2(*e)) != want[e.ID] {
				t.Fatalf("%q became %q", want[e.ID], FormatV2(*e))
			}
		}
	})
}

func FuzzUpgrade(f *testing.F) {
	f.Add([]byte(run2 + notes2 + "## x\n<!-- agentflow v=1 kind=run id=a -->\n\n### Summary\nx\n\n---\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		got, n := Upgrade(src)
		if n == 0 && !bytes.Equal(got, src) {
			t.Fatalf("nothing was upgraded, but %q became %q", src, got)
		}
		if again, n := Upgrade(got); n > 0 {
			t.Fatalf("upgraded twice: %q from %q", again, got)
		}
	})
}
