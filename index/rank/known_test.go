package rank

import "testing"

// TestKnown: memory more likely knows a task if a text has more of its words, its
// files are clear, and its words are rare.
func TestKnown(t *testing.T) {
	some := Knowledge{Evidence: 1.5, File: 0.2, Commonplace: 0.2}
	for name, change := range map[string]func(*Knowledge){
		"less evidence":        func(k *Knowledge) { k.Evidence = 0.8 },
		"no likely file":       func(k *Knowledge) { k.File = 0.04 },
		"words of any project": func(k *Knowledge) { k.Commonplace = 0.6 },
		"contents are known":   func(k *Knowledge) { k.Contents = true },
	} {
		less := some
		if change(&less); less.Chance() >= some.Chance() || less.Chance() <= 0 || some.Chance() >= 1 {
			t.Errorf("%s: %v, otherwise %v", name, less.Chance(), some.Chance())
		}
	}
	for _, k := range []Knowledge{{}, {File: 1}, {Evidence: 9, File: 1, Chatter: true}} {
		if k.Chance() != 0 {
			t.Errorf("%+v is known by %v", k, k.Chance())
		}
	}
	young, unlikely := Knowledge{Evidence: 3, File: 0.001}, Knowledge{Evidence: 3, File: leastFile}
	if young.Chance() != unlikely.Chance() || (Knowledge{Evidence: 3}).Chance() <= young.Chance() {
		t.Error("a young memory, or one without files, knows less")
	}
}

// TestUnknown: a term that no text holds counts against a text with the other terms, more so
// if no file holds it either. Numbers and common words do not count.
func TestUnknown(t *testing.T) {
	of := func(unknown Term) float64 {
		p := Choose([]Term{{Text: "session", DF: 3}, {Text: "clock", DF: 2}, unknown}, 100, Default())
		return p.evidence(2, p.Terms[0].tells+p.Terms[1].tells)
	}
	strange := of(Term{Text: "zebra"})
	for _, k := range []Term{{Text: "zebra", Elsewhere: true}, {Text: "zebra_stripes", Named: true}, {Text: "typo"}, {Text: "updated"}, {Text: "1396"}, {Text: "v0_5"}, {Text: "泊位"}} {
		if of(k) <= strange {
			t.Errorf("%+v says as much as a word that nothing holds", k)
		}
	}
	young := Choose([]Term{{Text: "session", DF: 1}, {Text: "zebra"}}, 2, Default())
	old := Choose([]Term{{Text: "session", DF: 1}, {Text: "zebra"}}, 2000, Default())
	if young.evidence(1, young.Terms[0].tells) <= old.evidence(1, old.Terms[0].tells) {
		t.Error("a young memory is to know all words")
	}
}

// TestGate: a closed gate passes texts that hold a name of the query, or are of the
// period that the query names.
func TestGate(t *testing.T) {
	s := Search{Ranking: Default(), Plan: Plan{Terms: []Term{{Text: "login"}}}}
	found := func() []*Candidate {
		return []*Candidate{
			{Entry: "shares", Held: Held{Evidence: 1}},
			{Entry: "named", Held: Held{Evidence: 1, Named: []string{"x.go"}}},
			{Entry: "dated", Dated: true, Held: Held{Evidence: 1}},
			{Entry: "nothing"},
		}
	}
	if got := s.Gate(found()); len(got) != 2 || got[0].Entry != "named" || got[1].Entry != "dated" {
		t.Errorf("closed: %d pass", len(got))
	}
	s.Know(found(), 1, false)
	s.Known.Evidence = 9
	if got := s.Gate(found()); len(got) != 3 {
		t.Errorf("open: %d pass", len(got))
	}
}
