package consolidate

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

const someRun = "01900000-0000-7000-8000-0000000000aa"

// proposalInput returns a memory of these facts; each line of notes is a fact.
func proposalInput(facts ...memory.Fact) Input {
	var b strings.Builder
	for i, f := range facts {
		f.ID = fmt.Sprintf("01900000-0000-7000-8000-%012d", i+1)
		if f.Source == "" {
			f.Source = someRun
		}
		if f.Created.IsZero() {
			f.Created = time.Date(2026, 1, 1+i, 0, 0, 0, 0, time.UTC)
		}
		b.WriteString(markdown.FormatFact(f))
	}
	return Input{Files: map[string][]byte{"MEMORY.md": []byte("# Memory\n\n" + b.String())}, Now: time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)}
}

// together ties all facts of an input into one family.
func together(n int) []Possible {
	var ids []string
	for i := range n {
		ids = append(ids, fmt.Sprintf("01900000-0000-7000-8000-%012d", i+1))
	}
	return []Possible{{Kind: Duplicate, IDs: ids}}
}

func plain(texts ...string) []memory.Fact {
	var out []memory.Fact
	for _, t := range texts {
		out = append(out, memory.Fact{Text: t})
	}
	return out
}

func mergeAnswer(text string, ids ...string) string {
	data, _ := json.Marshal(map[string]any{"merges": []any{map[string]any{"ids": ids, "text": text}}, "contradictions": []any{}})
	return string(data)
}

func TestProposedMerges(t *testing.T) {
	for _, c := range []struct {
		name  string
		facts []memory.Fact
		text  string
		why   string // empty: it is taken
	}{
		{"paraphrases", plain("Integration tests need Docker 24 running.", "Docker 24 must be running for integration tests"),
			"Docker 24 must be running for integration tests", ""},
		{"two halves", plain("Releases are cut on Fridays by make release", "make release cuts releases and needs GITHUB_TOKEN"),
			"Releases are cut on Fridays by make release, which needs GITHUB_TOKEN", ""},
		{"loses a number", plain("The cache holds 500 entries", "The cache holds entries for 30 minutes"), "The cache holds entries for 30 minutes", `loses "500"`},
		{"loses a path", plain("Config lives in etc/app.toml", "Config lives in a TOML file"), "Config lives in a TOML file", `loses "etc/app.toml"`},
		{"loses an identifier", plain("ParseConfig rejects unknown keys", "Unknown keys are rejected"), "Unknown keys are rejected", `loses "ParseConfig"`},
		{"loses a negation", plain("Migrations are not run at start", "Migrations are run by hand"), "Migrations are run by hand", `loses "not"`},
		{"moves a negation", plain("The API is not public", "The worker is public and restarts nightly and often"), "The API is public and the worker is not restarts nightly and often", `takes "not" away`},
		{"loses a condition", plain("Deploys need a review before merging", "Deploys need a review"), "Deploys need a review", `loses "before"`},
		{"loses a name", plain("Ask Alice about billing", "Questions about billing go to support"), "Questions about billing go to support", `loses "alice"`},
		{"loses a day", plain("Backups run on Sundays", "Backups run weekly"), "Backups run weekly", `loses "sundays"`},
		{"loses a subject", plain("Backups run at night", "Uploads are scanned for viruses by clamd"), "Backups run at night", "leaves out"},
		{"adds a number", plain("The cache is small", "The cache is rather small"), "The cache is rather small: 64 entries", `adds "64"`},
		{"adds a word", plain("The cache is small", "The cache is rather small"), "The cache is rather small and insecure", `adds "insecure"`},
		{"adds a negation", plain("The cache is small", "The cache is rather small"), "The cache is not rather small", `adds "not"`},
		{"no text", plain("The cache is small", "The cache is rather small"), "...", "no text"},
		{"hidden", plain("The cache is small", "The cache is rather small"), "The cache is \u202erather small", "hidden"},
		{"too long", plain(strings.Repeat("very ", 200)+"small", "very small"), strings.Repeat("very ", 200) + "small", "longer than"},
		{"by hand", []memory.Fact{{Text: "The cache is small", Source: "hand"}, {Text: "The cache is rather small"}}, "The cache is rather small", "a person wrote"},
		{"pinned", []memory.Fact{{Text: "The cache is small", Tags: []string{"pinned"}}, {Text: "The cache is rather small"}}, "The cache is rather small", "a person wrote"},
		{"across namespaces", []memory.Fact{{Text: "The cache is small", Namespace: "branch/x"}, {Text: "The cache is rather small"}}, "The cache is rather small", "different places"},
		{"across keys", []memory.Fact{{Text: "The cache is small", Key: "a"}, {Text: "The cache is rather small", Key: "b"}}, "The cache is rather small", "different things"},
	} {
		in := proposalInput(c.facts...)
		batches := Batches(in, together(2))
		if len(batches) != 1 {
			t.Fatalf("%s: %d batches", c.name, len(batches))
		}
		p, err := batches[0].Check(mergeAnswer(c.text, "f1", "f2"))
		if err != nil || (c.why == "") != (len(p.Merges) == 1) || c.why != "" && !strings.Contains(strings.Join(p.Refused, "\n"), c.why) {
			t.Errorf("%s: %+v, %v; want %q", c.name, p, err, c.why)
			continue
		}
		if c.why != "" {
			continue
		}
		in.Merges = p.Merges
		got := Plan(in)
		if len(got.Edits) == 0 || !strings.Contains(string(got.Edits[0].After), c.text) || strings.Count(string(got.Edits[0].After), "\n- ") != 1 {
			t.Errorf("%s: %+v", c.name, got.Actions)
		}
		in.Files = map[string][]byte{"MEMORY.md": []byte(strings.Replace(string(in.Files["MEMORY.md"]), c.facts[0].Text, "Something else", 1))}
		if got := Plan(in); len(got.Actions) != 0 {
			t.Errorf("%s: it is made though a fact was edited: %+v", c.name, got.Actions)
		}
	}
}

func TestProposedStrikes(t *testing.T) {
	facts := []memory.Fact{{Text: "The API listens on port 8080"}, {Text: "The API listens on port 9090"}, {Text: "Deploys are made from main"},
		{Text: "The API listens on port 7070", Source: "hand"}, {Text: "The API listens on port 6060", Namespace: "branch/x"}}
	in := proposalInput(facts...)
	b := Batches(in, together(5))[0]
	for _, c := range []struct{ keep, strike, why string }{
		{"f2", "f1", ""}, {"f1", "f2", "said later"}, {"f3", "f2", "too little"}, {"f2", "f4", "a person"}, {"f4", "f1", ""},
		{"f5", "f1", "different places"}, {"f1", "f1", "twice"}, {"f1", "f9", "unknown id"}, {"", "f1", "unknown id"},
	} {
		p, err := b.Check(fmt.Sprintf(`{"merges": [], "contradictions": [{"keep": %q, "strike": %q}]}`, c.keep, c.strike))
		if err != nil || (c.why == "") != (len(p.Strikes) == 1) || c.why != "" && !strings.Contains(strings.Join(p.Refused, "\n"), c.why) {
			t.Errorf("%s for %s: %+v, %v; want %q", c.strike, c.keep, p, err, c.why)
		}
		if c.why == "" {
			in := in
			in.Strikes = p.Strikes
			got := Plan(in)
			if len(got.Actions) != 2 || got.Actions[0].Kind != Struck || got.Actions[1].Kind != Lowered || !strings.Contains(string(got.Edits[0].After), "~~The API listens on port 8080~~") {
				t.Errorf("%+v", got.Actions)
			}
		}
	}
}

func TestProposalsOfWhatWasForgotten(t *testing.T) {
	in := proposalInput(plain("The cache is small", "The cache is rather small")...)
	in.Forgotten = func(id string) bool { return id == memory.TextID("the cache is small and rather small") }
	p, err := Batches(in, together(2))[0].Check(mergeAnswer("The cache is small and rather small", "f1", "f2"))
	if err != nil || len(p.Merges) != 0 || !strings.Contains(strings.Join(p.Refused, "\n"), "was forgotten") {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestProposedStrikesAcrossKeys(t *testing.T) {
	in := proposalInput(memory.Fact{Text: "The API listens on port 8080", Key: "a"}, memory.Fact{Text: "The API listens on port 9090", Key: "b"})
	p, err := Batches(in, together(2))[0].Check(`{"merges": [], "contradictions": [{"keep": "f2", "strike": "f1"}]}`)
	if err != nil || len(p.Strikes) != 0 || !strings.Contains(strings.Join(p.Refused, "\n"), "different things") {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestProposalsThatAreNone(t *testing.T) {
	in := proposalInput(plain("The cache is small", "The cache is rather small", "The cache is small")...)
	b := Batches(in, together(3))[0]
	if len(b.facts) != 2 {
		t.Errorf("%d facts are shown: two of the three say the same", len(b.facts))
	}
	for _, answer := range []string{"", "[]", "{}", `{"merges": []}`, `{"merges": {}, "contradictions": []}`, "I merged them."} {
		if p, err := b.Check(answer); err == nil {
			t.Errorf("%s: %+v", answer, p)
		}
	}
	for _, ids := range [][]string{{"f1"}, {"f1", "f1"}, {"f1", "f7"}, {}, {"f1", "01900000-0000-7000-8000-000000000002"}} {
		if p, err := b.Check(mergeAnswer("The cache is rather small", ids...)); err != nil || len(p.Merges) != 0 || len(p.Refused) != 1 {
			t.Errorf("%q: %+v, %v", ids, p, err)
		}
	}
	p, err := b.Check(`{"reasoning": "…", "merges": [{"ids": "f1"}, 3, {"ids": ["f1", "f2"], "text": "The cache is rather small", "confidence": 0.9}], "contradictions": [null], "orders": []}`)
	if err != nil || len(p.Merges) != 1 || len(p.Refused) != 3 {
		t.Errorf("%+v, %v", p, err)
	}
	p, err = b.Check(mergeAnswer("The cache is rather small", "f1", "f2"))
	if err != nil || len(p.Merges) != 1 || len(p.Merges[0].IDs) != 3 {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestBatches(t *testing.T) {
	var facts []memory.Fact
	var possible []Possible
	for i := range 400 {
		facts = append(facts, memory.Fact{Text: fmt.Sprintf("Fact %d about the cache %s", i, strings.Repeat("very ", 10))})
		if i > 0 {
			possible = append(possible, Possible{IDs: together(i + 1)[0].IDs[i-1:]})
		}
	}
	in := proposalInput(facts...)
	batches := Batches(in, possible)
	if len(batches) != maxBatches {
		t.Errorf("%d batches", len(batches))
	}
	for _, b := range batches {
		tokens := 0
		for _, f := range b.facts {
			tokens += memory.Tokens(f.Text)
		}
		if len(b.facts) > maxBatchFacts || tokens > maxBatchTokens {
			t.Errorf("%d facts of %d tokens", len(b.facts), tokens)
		}
	}
	if Batches(in, nil) != nil || Batches(in, []Possible{{IDs: []string{"unknown"}}}) != nil {
		t.Error("there is nothing to ask, and a question")
	}
	q := batches[0].Question(func(s string) string { return strings.ReplaceAll(s, "cache", "***") })
	if strings.Contains(q.Data, "cache") || !strings.Contains(q.Data, `"id":"f1","text":"Fact 0`) || strings.Contains(q.Data, facts[0].ID) && facts[0].ID != "" {
		t.Errorf("%s", q.Data)
	}
}

func TestFamilies(t *testing.T) {
	pair := func(a, b string) Possible { return Possible{IDs: []string{a, b}} }
	got := families([]Possible{pair("a", "b"), pair("c", "d"), pair("e", "f"), pair("d", "b"), pair("a", "g")})
	var all []string
	for _, ids := range got {
		if len(ids) > 0 {
			slices.Sort(ids)
			all = append(all, strings.Join(ids, ""))
		}
	}
	slices.Sort(all)
	if !slices.Equal(all, []string{"abcdg", "ef"}) {
		t.Errorf("%q", all)
	}
}

// FuzzProposal: for any answer of a model, a number, identifier or negation leaves memory only
// with a struck fact, and none is added.
func FuzzProposal(f *testing.F) {
	f.Add(mergeAnswer("Docker 24 must be running for integration tests", "f1", "f2"))
	f.Add(`{"merges": [], "contradictions": [{"keep": "f4", "strike": "f3"}]}`)
	f.Add(`{"why": "x", "merges": [3, {"ids": ["f1", "f2"], "text": "Docker 24 must be running for integration tests", "confidence": 1}], "contradictions": [{"keep": 4}, {"keep": "f4", "strike": "f3"}]}`)
	f.Fuzz(func(t *testing.T, answer string) {
		in := proposalInput(plain("Integration tests need Docker 24 running.", "Docker 24 must be running for integration tests",
			"The API is not on port 8080", "The API is not on port 9090")...)
		before := deciding(in.Files)
		p, err := Batches(in, together(4))[0].Check(answer)
		if err != nil {
			return
		}
		in.Merges, in.Strikes = p.Merges, p.Strikes
		files := map[string][]byte{"MEMORY.md": in.Files["MEMORY.md"]}
		for _, e := range Plan(in).Edits {
			files[e.File] = e.After
		}
		if after := deciding(files); !slices.Equal(before, after) {
			t.Errorf("%q became %q", before, after)
		}
	})
}

// deciding returns the words that decide the meaning of facts in files.
func deciding(files map[string][]byte) []string {
	found := map[string]bool{}
	for _, text := range files {
		for _, b := range markdown.Parse(text).Blocks {
			for _, f := range b.Facts {
				for _, w := range wordsOf(f.Text) {
					if binds(w) {
						found[w] = true
					}
				}
			}
		}
	}
	var list []string
	for w := range found {
		list = append(list, w)
	}
	slices.Sort(list)
	return list
}
