package markdown

import (
	"strings"
	"testing"
	"time"

	"agentflow/memory"
)

func TestJudgementReads(t *testing.T) {
	j := memory.Judgement{ID: "0199", Time: time.Date(2026, 11, 21, 14, 0, 0, 0, time.FixedZone("", 3600)), Run: "0198", Entry: "memory/MEMORY.md#Keys > Rotation",
		Task: "Fix the \"flaky\"\nlogin test <now>", Title: "Rotate the signing keys"}
	want := `- 2026-11-21: "Fix the 'flaky' login test <now>" did not need "Rotate the signing keys" ` +
		"<!-- id=0199 useless=memory/MEMORY.md%23Keys%20%3E%20Rotation run=0198 time=2026-11-21T14:00:00+01:00 -->\n"
	if got := FormatJudgement(j); got != want {
		t.Errorf("got  %swant %s", got, want)
	}
	// A person reworded it, and took one away.
	text := "# Feedback\n\n* " + strings.Replace(want[2:], "did not need", "was not helped by", 1) + "- \"a\" did not need \"b\"\n\n" +
		strings.ReplaceAll(want, "id=0199", "id=0200")
	list := ParseJudgements([]byte(text))
	if len(list) != 2 || !sameJudgement(list[0], j.Normal()) || list[1].ID != "0200" {
		t.Errorf("got %+v", list)
	}
	wrapped := strings.Replace(strings.Replace(want, "login test", "login\n  test", 1), " <!--", "\n  <!--", 1)
	if list := ParseJudgements([]byte(wrapped)); len(list) != 1 || !sameJudgement(list[0], j.Normal()) {
		t.Errorf("wrapped: got %+v from %s", list, wrapped)
	}
	if got, ok := Judged([]byte(text), "0198", j.Entry); !ok || got.ID != "0199" {
		t.Errorf("judged: %+v, %v", got, ok)
	}
	if _, ok := Judged([]byte(text), "0197", j.Entry); ok {
		t.Error("judged for another run")
	}
}

func sameJudgement(a, b memory.Judgement) bool {
	_, x := a.Time.Zone()
	_, y := b.Time.Zone()
	same := a.Time.Equal(b.Time) && x == y
	a.Time = b.Time
	return same && a == b
}

func FuzzJudgement(f *testing.F) {
	f.Add("1", "task", "entry", "title", "run", int64(1e9), []byte("- <!-- id=1 useless=2 -->\n"))
	f.Add("--", `a "b" \`, "x y", "<!-- id=3 -->\n", "%", int64(-1), []byte(`- "\x" " <!-- id=1 useless=% time=0 -->`))
	f.Fuzz(func(t *testing.T, id, task, entry, title, run string, unix int64, src []byte) {
		j := memory.Judgement{ID: id, Time: time.Unix(unix>>20, 0).UTC(), Task: task, Entry: entry, Title: title, Run: run}
		text := FormatJudgement(j)
		if strings.Count(text, "\n") != 1 {
			t.Fatalf("not one line: %q", text)
		}
		list := ParseJudgements([]byte("x\n" + text + "y\n"))
		if id != "" && entry != "" && (len(list) != 1 || !sameJudgement(list[0], j.Normal())) {
			t.Fatalf("got %+v, want %+v, from %q", list, j.Normal(), text)
		}
		if ids := Parse([]byte(text)).IDs(); id != "" && (len(ids) != 1 || ids[0] != id) {
			t.Fatalf("ids %q of %q", ids, text)
		}
		for _, k := range ParseJudgements(src) {
			if again := ParseJudgements([]byte(FormatJudgement(k))); len(again) != 1 || !sameJudgement(again[0], k) {
				t.Fatalf("read %+v, then %+v", k, again)
			}
		}
	})
}
