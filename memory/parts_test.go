package memory_test

import (
	"reflect"
	"strings"
	"testing"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

func TestPartsRead(t *testing.T) {
	for _, c := range []struct {
		text string
		want memory.Parts
	}{
		{"", memory.Parts{}},
		{"plain\n\ntext", memory.Parts{Text: "plain\n\ntext"}},
		{"Situation: the disk\n  was full\nAction: logs removed\nOutcome: it ran\nLearnings: rotate",
			memory.Parts{Situation: "the disk\nwas full", Action: "logs removed", Outcome: "it ran", Learnings: "rotate"}},
		{"How we release\nName: release\nSteps:\n1. tag\n2. push\n   both remotes\n3. tell\nTriggers: a version is due",
			memory.Parts{Text: "How we release", Name: "release", Steps: []string{"tag", "push\nboth remotes", "tell"}, Triggers: "a version is due"}},
		// What String would write in another way is text.
		{"Action: b\nSituation: a", memory.Parts{Text: "Action: b\nSituation: a"}},
		{"Steps:\n2. b\n1. a", memory.Parts{Text: "Steps:\n2. b\n1. a"}},
		{"Steps:", memory.Parts{Text: "Steps:"}},
		{"Name: a\nName: b", memory.Parts{Text: "Name: a\nName: b"}},
		{"Name:a", memory.Parts{Text: "Name:a"}},
		{"Name: a\n", memory.Parts{Text: "Name: a\n"}},
	} {
		if got := memory.PartsOf(c.text); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q\nhave %+v\nwant %+v", c.text, got, c.want)
		}
	}
}

// indented is a value with its later lines behind a blank margin.
func indented(value, margin string) string {
	lines := strings.Split(strings.TrimSpace(value), "\n")
	for i, line := range lines {
		line = strings.TrimRight(line, " \t\r")
		if i > 0 && line != "" {
			line = margin + line
		}
		lines[i] = line
	}
	return strings.Join(lines, "\n")
}

// FuzzParts holds both ways round, and that a bullet keeps the text.
func FuzzParts(f *testing.F) {
	f.Add("text", "a\n\n b", "x", "Name: y", "1. z", "Steps:")
	f.Add("Name: a", "", "\n", " 2. b ", "Steps:\n1. c", "")
	f.Fuzz(func(t *testing.T, text, situation, outcome, name, step, triggers string) {
		if got := memory.PartsOf(text).String(); got != text {
			t.Fatalf("%q read and written is %q", text, got)
		}
		p := memory.Parts{Situation: situation, Outcome: outcome, Name: name, Steps: []string{step, name, "", step}, Triggers: triggers}
		written := p.String()
		q := memory.PartsOf(written)
		want := memory.Parts{Situation: indented(situation, ""), Outcome: indented(outcome, ""), Name: indented(name, ""), Triggers: indented(triggers, "")}
		for _, s := range p.Steps {
			if s = indented(s, ""); s != "" {
				want.Steps = append(want.Steps, s)
			}
		}
		if !reflect.DeepEqual(q, want) {
			t.Fatalf("%q\nhave %+v\nwant %+v", written, q, want)
		}
		if written == "" {
			return
		}
		d := markdown.Parse([]byte("# Memory\n\n" + markdown.FormatFact(memory.Fact{ID: "1", Text: written})))
		if len(d.Blocks) != 1 || len(d.Blocks[0].Facts) != 1 || d.Blocks[0].Facts[0].Text != written {
			t.Fatalf("not in its bullet: %q", d.Bytes())
		}
	})
}

func TestPartsStandReadable(t *testing.T) {
	p := memory.Parts{Text: "How we release", Name: "release", Steps: []string{"tag", "push"}}
	got := markdown.FormatFact(memory.Fact{ID: "1", Text: p.String()})
	want := "- How we release <!-- id=1 -->\n  Name: release\n  Steps:\n  1. tag\n  2. push\n"
	if got != want {
		t.Errorf("have %s\nwant %s", got, strings.TrimSpace(want))
	}
}
