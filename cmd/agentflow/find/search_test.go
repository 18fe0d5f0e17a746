package find

import (
	"bytes"
	"strings"
	"testing"

	"agentflow/app/highlight"
	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/testing/apptest"
	"agentflow/memory/retrieval"
)

// TestHitsOnATerminal: the words of the query are highlighted there and nowhere else.
func TestHitsOnATerminal(t *testing.T) {
	hit := retrieval.Hit{Path: "memory/x.md", StartLine: 1, EndLine: 2, Heading: "H\x1b[2J", Score: 0.5, RankScore: 1.25, Text: "a flaky login",
		Explain: &retrieval.Explain{BM25: 2.5, Keyword: 0.5, Vector: 0.25, Decay: 1, Importance: 1.2, Judgement: 0.5, Mass: 0.75, Likely: 0.25, Terms: []string{"flaky"}}}
	lines := []highlight.Line{{Text: hit.Text, Matches: []highlight.Match{{Start: 2, End: 7}}}}
	for _, colour := range []bool{true, false} {
		var out bytes.Buffer
		c := &cli.Env{Voice: cli.Voice{Out: &out, Err: &out, Colour: colour}, Memory: apptest.Nowhere(t)}
		printHit(c, hit, lines, true, "")
		got := out.String()
		if strings.Contains(got, "a \x1b[1;31mflaky\x1b[0m login\n") != colour || !colour && strings.Contains(got, "\x1b") || strings.Contains(got, "\x1b[2J") {
			t.Errorf("colour %v: %q", colour, got)
		}
		if !colour {
			want := "H\nmemory/x.md:1-2  score 0.500\n" +
				"      bm25   keyword    vector     decay  importance  judgement     files  idf mass     known    likely  rank score\n" +
				"     2.500     0.500     0.250     1.000       1.200      0.500     0.000     0.750     0.000     0.250       1.250\n" +
				"  terms flaky · named none\n  a flaky login\n"
			if got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		}
	}
}

// TestNamesOfHitsAreQuoted: a name from outside leaves neither its quotes nor its line, and
// nothing in it reaches the terminal's controls.
func TestNamesOfHitsAreQuoted(t *testing.T) {
	evil := "EVIL\"\x1b[2J\r\n\u2028\u009b31m EVIL " + strings.Repeat("x", 1000)
	var out bytes.Buffer
	c := &cli.Env{Voice: cli.Voice{Out: &out, Err: &out, OutTTY: true}, Memory: apptest.Nowhere(t)}
	printHit(c, retrieval.Hit{Path: "shared/EVIL-1b413bff/" + evil, StartLine: 1, EndLine: 2, Heading: "H", Repository: evil, Person: evil, Author: evil}, nil, true, "")
	printHit(c, retrieval.Hit{Path: "team:" + evil, StartLine: 1, EndLine: 1, Heading: "H"}, nil, true, "")
	apptest.CheckQuoted(t, out.String(), "EVIL", 4)
	out.Reset()
	printHit(c, retrieval.Hit{Path: "memory/x.md", StartLine: 1, EndLine: 1, Heading: evil}, nil, true, "")
	if text := out.String(); strings.ContainsAny(text, "\x1b\r\u2028\u009b") || strings.Count(text, "\n") != 2 || len(text) > 1500 {
		t.Errorf("%q", text)
	}
}
