package merge

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestMerge(t *testing.T) {
	for _, c := range []struct{ name, base, ours, theirs, want string }{
		{"only ours", "a\nb\n", "a\nc\n", "a\nb\n", "a\nc\n"},
		{"only theirs", "a\nb\n", "a\nb\n", "b\n", "b\n"},
		{"apart", "a\nb\nc\nd\ne\n", "a\nB\nc\nd\ne\n", "a\nb\nc\nD\ne\n", "a\nB\nc\nD\ne\n"},
		{"the same", "a\nb\nc\n", "a\nx\nc\n", "a\nx\nc\n", "a\nx\nc\n"},
		{"the same place", "a\nb\nc\n", "a\nx\nc\n", "a\ny\nc\n", "!"},
		{"appended, and the end goes", "a\nb\n", "a\nb\n\nmine\n", "a\n", "a\n\nmine\n"},
		{"appended, and more comes back", "a\n", "a\n\nmine\n", "a\nb\n", "a\nb\n\nmine\n"},
		{"a file that is there again", "", "# Day\n\nmine\n", "# Day\n\nold\n", "# Day\n\nold\n\nmine\n"},
		{"a file of its own goes but for the heading above mine", "# Day\n\nnew\n", "# Day\n\nnew\n\nmine\n", "", "# Day\n\nmine\n"},
		{"a list's heading stays above mine", "# Day\n\nold\n\n## Notes\n\n- new\n", "# Day\n\nold\n\n## Notes\n\n- new\n- mine\n", "# Day\n\nold\n", "# Day\n\nold\n\n## Notes\n\n- mine\n"},
		{"a fact is whole", "- one\n  two <!-- id=f1 -->\n- x <!-- id=f2 -->\n", "- ONE\n  two <!-- id=f1 -->\n- x <!-- id=f2 -->\n", "- one\n  TWO <!-- id=f1 -->\n- x <!-- id=f2 -->\n", "!"},
		{"no newline at the end", "a\nb", "a\nb\n\nmine\n", "a\nb", "a\nb\n\nmine\n"},
	} {
		got, ok := Merge([]byte(c.base), []byte(c.ours), []byte(c.theirs))
		if !ok {
			got = []byte("!")
		}
		if string(got) != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestMergeKeepsEdits makes random edits of two sides at places of their own:
// the merge holds both, and nothing else.
func TestMergeKeepsEdits(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	merged := 0
	for round := range 3000 {
		var base, ours, theirs, want []string
		put := func(line string, to ...*[]string) {
			for _, list := range to {
				*list = append(*list, line+"\n")
			}
		}
		for i := range 3 + random.IntN(12) {
			line := string(rune('a' + i))
			switch random.IntN(6) {
			case 0:
				put(line, &base, &theirs) // ours took it out
			case 1:
				put(line, &base, &ours) // theirs did
			case 2:
				put(strings.ToUpper(line), &ours, &want) // ours put it in
			case 3:
				put(line+line, &theirs, &want)
			}
			put(line+"stays", &base, &ours, &theirs, &want)
			put(line+"stays too", &base, &ours, &theirs, &want)
		}
		text := func(list []string) []byte { return []byte(strings.Join(list, "")) }
		got, ok := Merge(text(base), text(ours), text(theirs))
		if ok {
			merged++
		}
		if ok && string(got) != string(text(want)) {
			t.Fatalf("round %d: base %q, ours %q, theirs %q: %q, want %q", round, base, ours, theirs, got, want)
		}
	}
	if merged < 2900 {
		t.Errorf("only %d were merged", merged)
	}
}
