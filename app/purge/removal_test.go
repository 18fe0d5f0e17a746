package purge

import (
	"strings"
	"testing"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// The facts that were merged into a fact are removed with it, and are listed.
func TestMergedGoWithTheirFact(t *testing.T) {
	origin := func(id string) memory.Origin { return memory.Origin{ID: id} }
	files := map[string][]byte{"MEMORY.md": []byte("# Memory\n\n" +
		markdown.FormatFact(memory.Fact{ID: "f1", Text: "One.", Merged: []memory.Origin{origin("f2"), origin("f3")}}) +
		markdown.FormatFact(memory.Fact{ID: "f4", Text: "Two.", Merged: []memory.Origin{origin("f5"), origin("f6")}})),
		"other.md": []byte("# Other\n\n" + markdown.FormatFact(memory.Fact{ID: "f4", Text: "Two.", Merged: []memory.Origin{origin("f5")}}) +
			markdown.FormatFact(memory.Fact{ID: "f6", Text: "Six."})),
		"unrelated.md": []byte("# Else\n\n" + markdown.FormatFact(memory.Fact{ID: "f7", Text: "Seven."}))}
	for _, test := range []struct{ ids, standing, merged string }{
		{"f1", "f1", "f2 f3"}, {"f3", "f3", "f1 f2"}, {"f2 f1", "f2 f1", "f3"}, {"f9", "", ""}, {"f1 f4 f9", "f1 f4", "f2 f3 f5"},
	} {
		ids := strings.Fields(test.ids)
		docs := parseAbout(files, ids)
		if docs["unrelated.md"] != nil {
			t.Errorf("without %s: a file is parsed that holds nothing of it", test.ids)
		}
		edits, standing, merged := planRemoval(files, docs, ids)
		if all, _, also := planRemoval(files, parseAll(files), ids); len(all) != len(edits) || strings.Join(also, " ") != strings.Join(merged, " ") {
			t.Errorf("without %s: %d edits, merged %v; all files make it %d and %v", test.ids, len(edits), merged, len(all), also)
		}
		if strings.Join(standing, " ") != test.standing || strings.Join(merged, " ") != test.merged || (len(edits) > 0) != (test.standing != "") {
			t.Errorf("without %s: %v stand, merged %v, %d edits", test.ids, standing, merged, len(edits))
		}
	}
}
