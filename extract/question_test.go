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
	q := Question(run, rules.Shown)
	var data struct {
		Said  []string
		Facts []struct{ ID, Text string }
	}
	if err := json.Unmarshal([]byte(q.Data), &data); err != nil {
		t.Fatal(err)
	}
	if len(data.Said) != 2 || len(data.Facts) != 3 || data.Facts[0].ID != "f1" || data.Facts[0].Text != "The API listens on port 8080" {
		t.Errorf("%+v", data)
	}
	if strings.Contains(q.Data, "Background") || strings.Contains(q.Data, oldID) {
		t.Error("the prompt or an id is part of the question")
	}
	for _, limit := range []string{fmt.Sprintf("At most %d facts", maxFacts), fmt.Sprintf("at most %d characters", maxText)} {
		if !strings.Contains(q.Instruction, limit) {
			t.Errorf("the instruction does not say %q", limit)
		}
	}
}

// What was said last is kept, in its order, of the message that is too long
// its end.
func TestTheNewestIsKept(t *testing.T) {
	long := strings.Repeat("early ", 20_000) + "end of it"
	kept := newest([]string{"first", long, "", "second \x1b[31mlast", "last"}, 100)
	if len(kept) != 3 || !strings.HasSuffix(kept[0], "end of it") || kept[1] != "second last" || kept[2] != "last" {
		t.Errorf("%q", kept)
	}
	total := 0
	for _, m := range kept {
		total += memory.Tokens(m)
	}
	if total > 100 || total < 95 {
		t.Errorf("%d tokens", total)
	}
	if kept := newest([]string{"日本語のテキスト"}, 2); len(kept) != 1 || kept[0] != "キスト"[len("キスト")-9:] {
		t.Errorf("%q", kept)
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
