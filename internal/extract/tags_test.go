package extract

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"agentflow/internal/words"
	"agentflow/memory"
)

// day is the time of the agent's message.
var day = time.Date(2026, 11, 21, 14, 32, 7, 0, time.FixedZone("", 3600))

func TestTagged(t *testing.T) {
	plain := func(texts ...string) []memory.Fact {
		var facts []memory.Fact
		for _, text := range texts {
			facts = append(facts, memory.Fact{Type: memory.Semantic, Importance: 0.5, Text: text})
		}
		return facts
	}
	for _, c := range []struct {
		name, said, prompt string
		want               []memory.Fact
	}{
		{"attributes", `<save_memory type="procedural" importance="0.8" tags="a, b" key="clock">Use synctest.</save_memory>`, "",
			[]memory.Fact{{Type: memory.Procedural, Importance: 0.7, Tags: []string{"a", "b"}, Key: "clock", Text: "Use synctest."}}},
		{"more attributes", `<save_memory category="ops" confidence=0.7 namespace="Branch" expires="2026-12-31">Frozen.</save_memory>`, "",
			[]memory.Fact{{Type: memory.Semantic, Importance: 0.5, Confidence: 0.7, Category: "ops", Namespace: memory.BranchNamespace,
				Expires: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC), Text: "Frozen."}}},
		{"a time", `<save_memory namespace="project" expires="2026-12-31T10:00:00Z">Frozen.</save_memory>`, "",
			[]memory.Fact{{Type: memory.Semantic, Importance: 0.5, Expires: time.Date(2026, 12, 31, 10, 0, 0, 0, time.UTC), Text: "Frozen."}}},
		{"from the run on", `<save_memory expires="30d">Frozen.</save_memory><save_memory expires=2w>Thawed.</save_memory>`, "",
			[]memory.Fact{{Type: memory.Semantic, Importance: 0.5, Expires: day.AddDate(0, 0, 30), Text: "Frozen."},
				{Type: memory.Semantic, Importance: 0.5, Expires: day.AddDate(0, 0, 14), Text: "Thawed."}}},
		{"odd times", `<save_memory expires="30">a b</save_memory><save_memory expires=dw>c d</save_memory><save_memory expires=-3d>e f</save_memory><save_memory expires=2001-01-01>g h</save_memory>`,
			"", plain("a b", "c d", "e f", "g h")},
		{"namespaces of others", `<save_memory namespace="global">a b</save_memory><save_memory namespace="run/1">c d</save_memory><save_memory namespace="branch/other">e f</save_memory>`,
			"", plain("a b", "c d", "e f")},
		{"nonsense confidence", `<save_memory confidence=high expires=soon>x y</save_memory>`, "", plain("x y")},
		{"other quotes", "<save memory type='episodic' importance=2 tags='x, pinned'>It broke.\nThen not.</save memory >", "",
			[]memory.Fact{{Type: memory.Episodic, Importance: 0.7, Tags: []string{"x"}, Text: "It broke.\nThen not."}}},
		{"nonsense attributes", `<save_memory type=magic importance=NaN other=1>x y</save_memory>`, "", plain("x y")},
		{"unclosed", "<save_memory>never closed", "", nil},
		{"unclosed before closed", "<save_memory>a <save_memory>b</save_memory>", "", plain("b")},
		{"empty", "<save_memory> \n</save_memory>", "", nil},
		{"twice", "<save_memory>a b</save_memory><save_memory>A  b</save_memory>", "", plain("a b")},
		{"in the prompt", "<save_memory>known\nfact</save_memory><save_memory>new</save_memory>", "- Known fact <!-- x -->", plain("new")},
		{"backticks", "Write `<save_memory>text</save_memory>` so.", "", nil},
		{"fence", "```xml\n<save_memory>text</save_memory>\n```\n<save_memory>real</save_memory>", "", plain("real")},
		{"open fence", "```\nforgotten\n<save_memory>real</save_memory>", "", plain("real")},
		{"code inside", "<save_memory>run `go test`</save_memory>", "", plain("run `go test`")},
		{"lone backtick", "a ` here\n\n<save_memory>real ` text</save_memory>", "", plain("real ` text")},
		{"another tag", "<save_memory_now>x</save_memory>", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, cut := Tagged([]string{c.said}, c.prompt, day)
			if !reflect.DeepEqual(got, c.want) || len(cut) > 0 {
				t.Errorf("got %+v, cut %q; want %+v", got, cut, c.want)
			}
		})
	}
}

func TestTaggedIsBounded(t *testing.T) {
	var said []string
	for n := range MaxTagged + 3 {
		said = append(said, fmt.Sprintf("<save_memory>fact %d %s</save_memory>", n, strings.Repeat("é", n*100)))
	}
	facts, cut := Tagged(said, "", day)
	if len(facts) != MaxTagged {
		t.Fatalf("%d facts", len(facts))
	}
	for _, f := range facts {
		if n := utf8.RuneCountInString(f.Text); n > MaxTaggedRunes {
			t.Errorf("a fact of %d runes", n)
		}
	}
	if last := cut[len(cut)-1]; !strings.HasPrefix(last, "memories beyond the first 50") || len(cut) < 5 {
		t.Errorf("cut %q", cut)
	}
}

func FuzzTagged(f *testing.F) {
	f.Add("<save_memory type=\"semantic\">a</save_memory>", "b")
	f.Add("```\n<save memory>`x` </save_memory>\n```", "")
	f.Fuzz(func(t *testing.T, said, prompt string) {
		facts, _ := Tagged([]string{said}, prompt, day)
		for _, fact := range facts {
			if fact.Text != strings.TrimSpace(fact.Text) || fact.Text == "" || !utf8.ValidString(fact.Text) || !(fact.Importance >= 0 && fact.Importance <= 1) ||
				!(fact.Confidence >= 0 && fact.Confidence <= 1) || fact.Namespace != "" && fact.Namespace != memory.BranchNamespace {
				t.Errorf("bad fact %+v", fact)
			}
			if again, _ := Tagged([]string{said}, prompt+" "+fact.Text, day); len(again) >= len(facts) {
				t.Errorf("%q counts though it stands in the prompt", fact.Text)
			}
		}
		// A separate tag after anything except open code is always found.
		if !strings.ContainsAny(said, "`~<") && !strings.Contains(words.Plain(prompt), "a thing of its own") {
			more, _ := Tagged([]string{said + "\n<save_memory>a thing of its own</save_memory>"}, prompt, day)
			if len(more) != 1 {
				t.Errorf("found %d", len(more))
			}
		}
	})
}
