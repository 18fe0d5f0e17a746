package extract

import (
	"strings"
	"testing"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

func TestEdits(t *testing.T) {
	run, rules := world()
	entry := memory.Entry{ID: run.ID, Kind: memory.KindRun, Time: now, Title: "Fix it", Task: "Fix it", Result: &memory.Result{}}
	files := map[string][]byte{
		"2026-11-21.md": markdown.Format(entry),
		"MEMORY.md":     []byte("# Memory\n\nBy hand.\n" + markdown.FormatFact(rules.Shown[0]) + markdown.FormatFact(rules.Shown[1])),
		"other.md":      []byte("nothing\n"),
	}
	if EntryOf(files, run.ID).Title != "Fix it" || EntryOf(files, "none") != nil || len(Facts(files)) != 2 {
		t.Errorf("%+v", Facts(files))
	}
	learnt, err := Check(answerOf(t,
		map[string]any{"op": "add", "text": "The login test needs synctest"},
		map[string]any{"op": "update", "id": "f1", "text": "The API listens on port 9090"},
	), run, rules)
	if err != nil || len(learnt.Refused) > 0 {
		t.Fatalf("%+v, %v", learnt, err)
	}
	edits := Edits(files, run.ID, learnt)
	if len(edits) != 2 || edits[0].File != "2026-11-21.md" || edits[1].File != "MEMORY.md" {
		t.Fatalf("%+v", edits)
	}
	got := markdown.Parse(edits[0].After).Entries()[0]
	if len(got.Facts) != 2 || got.Facts[0].Text != "The login test needs synctest" || got.Facts[1].Supersedes != oldID {
		t.Errorf("%s", edits[0].After)
	}
	if text := string(edits[1].After); !strings.Contains(text, "By hand.\n- ~~The API listens on port 8080~~ <!-- id="+oldID) || !strings.Contains(text, "by="+got.Facts[1].ID) {
		t.Errorf("%s", text)
	}
	if edits := Edits(files, run.ID, Learnt{}); len(edits) != 0 {
		t.Errorf("nothing was learnt, and %+v", edits)
	}
}
