package extract

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"agentflow/memory"
)

func TestQuestion(t *testing.T) {
	run, rules := world()
	run.Lines = append(by(true, "Fix the flaky login test"), run.Lines...)
	run.Wishes = "No names of\u202e hosts."
	q := Question(run, rules.Shown)
	var data struct {
		Dialog []struct{ By, Text string }
		Facts  []struct{ ID, Text string }
		Wishes string
	}
	if err := json.Unmarshal([]byte(q.Data), &data); err != nil {
		t.Fatal(err)
	}
	if len(data.Dialog) != 3 || data.Dialog[0].By != "user" || data.Dialog[1].By != "agent" || data.Wishes != "No names of hosts." || len(data.Facts) != 3 || data.Facts[0].ID != "f1" || data.Facts[0].Text != "The API listens on port 8080" {
		t.Errorf("%+v", data)
	}
	if strings.Contains(q.Data, "Background") || strings.Contains(q.Data, oldID) {
		t.Error("the prompt or an id is part of the question")
	}
	for _, limit := range []string{fmt.Sprintf("At most %d facts", maxFacts), fmt.Sprintf("at most %d characters", maxText), fmt.Sprintf("at most %d characters", maxReason)} {
		if !strings.Contains(q.Instruction, limit) {
			t.Errorf("the instruction does not say %q", limit)
		}
	}
}

// The last lines are kept, in their order. Of a line that is too long, the end is kept.
func TestTheNewestIsKept(t *testing.T) {
	long := strings.Repeat("early ", 20_000) + "end of it"
	kept := newest(by(true, "first", long, "", "second \x1b[31mlast", "last"), 100)
	if len(kept) != 3 || !strings.HasSuffix(kept[0].Text, "end of it") || kept[1].Text != "second last" || kept[2] != (Line{true, "last"}) {
		t.Errorf("%+v", kept)
	}
	total := 0
	for _, m := range kept {
		total += memory.Tokens(m.Text)
	}
	if total > 100 || total < 95 {
		t.Errorf("%d tokens", total)
	}
	if kept := newest(by(false, "日本語のテキスト"), 2); len(kept) != 1 || kept[0].Text != "キスト"[len("キスト")-9:] {
		t.Errorf("%+v", kept)
	}
}

func TestSimilar(t *testing.T) {
	run, rules := world()
	facts := append([]memory.Fact{{ID: "z", Text: "Colours are named in French"}, {Text: "The login test has no id"}}, rules.All...)
	got := Similar(run, facts, now)
	if len(got) == 0 || got[0].ID != oldID {
		t.Fatalf("%+v", got)
	}
	for _, f := range got {
		if f.ID == "z" || f.ID == "" || f.Struck {
			t.Errorf("%+v is shown", f)
		}
	}
	var many []memory.Fact
	for i := range 5000 {
		many = append(many, memory.Fact{ID: fmt.Sprint(i), Text: "The login test depends on the wall clock " + strings.Repeat("very ", 40)})
	}
	tokens := 0
	for _, f := range Similar(run, many, now) {
		tokens += memory.Tokens(f.Text)
	}
	if tokens == 0 || tokens > maxKnownTokens {
		t.Errorf("%d tokens of facts are shown", tokens)
	}
}
