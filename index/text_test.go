package index

import (
	"os"
	"strings"
	"testing"

	"agentflow/memory/retrieval"
)

// TestTextsStandInFiles checks that the index holds no text of a file, and that
// hits show the text as in the file, with any line ending.
func TestTextsStandInFiles(t *testing.T) {
	s := newStore(t)
	text := "# Notes\r\n\r\nThe quokka eats leaves.\r\n\r\n## Wombats\r\n\r\nThe wombat digs, \xff too.\r\n"
	s.put("notes.md", text)
	s.put("2026-11-21.md", entry("0199-koala", day, "Feed the koala", "It sleeps."))
	d := s.open(Options{})
	s.sync(d)
	for query, want := range map[string]string{"quokka": "The quokka eats leaves.", "wombat": "The wombat digs, \xff too.", "koala": "It sleeps."} {
		hits := search1(t, d, retrieval.Query{Text: query})
		if len(hits) != 1 || !strings.Contains(hits[0].Text, want) {
			t.Errorf("%s: %+v", query, hits)
		}
	}
	inside, err := column[int](t.Context(), oneConn(t, tables(t, d)), `SELECT count(*) FROM chunks WHERE text IS NOT NULL`)
	must(t, err)
	if inside[0] != 0 {
		t.Errorf("%d texts are in the index", inside[0])
	}
}

// TestTextsOfChangedFiles searches an index that is older than its files. Hits
// show a moved chunk and an edited entry as they are now, with their current
// lines; deleted ones have no text.
func TestTextsOfChangedFiles(t *testing.T) {
	s := newStore(t)
	s.db() // what SQLite does
	quokka, wombat, koala := entry("0199-quokka", day, "Feed the quokka", "It eats leaves."), entry("0199-wombat", day, "Dig", "The wombat digs."), entry("0199-koala", day, "Rest", "The koala sleeps.")
	s.put("2026-11-21.md", quokka+wombat+koala)
	d := s.open(Options{})
	s.sync(d)
	first := search1(t, d, retrieval.Query{Text: "quokka"})[0]
	s.put("2026-11-21.md", "A line by hand.\n\n"+quokka+strings.Replace(wombat, "digs.", "digs deep.", 1))
	for query, want := range map[string]string{"quokka": first.Text, "wombat": "The wombat digs deep.", "koala": ""} {
		hits := search1(t, d, retrieval.Query{Text: query})
		if len(hits) != 1 || !strings.Contains(hits[0].Text, want) || (want == "") != (hits[0].Text == "") {
			t.Errorf("%s: %+v", query, hits)
		}
		if query == "quokka" && hits[0].StartLine != first.StartLine+2 {
			t.Errorf("it stands in line %d, and stood in %d", hits[0].StartLine, first.StartLine)
		}
	}
	must(t, os.Remove(s.file("2026-11-21.md")))
	if hits := search1(t, d, retrieval.Query{Text: "quokka"}); len(hits) != 1 || hits[0].Text != "" {
		t.Errorf("of a file that is gone: %+v", hits)
	}
}

// TestTextDamaged checks that the index notices when its record of a text
// contradicts the file because the index is damaged.
func TestTextDamaged(t *testing.T) {
	for name, damage := range map[string]string{
		"sum": `UPDATE chunks SET sum=sum+1`, "terms": `UPDATE chunks SET terms=substr(terms, 1, length(terms)-4)||x'01020304'`,
		"at": `UPDATE chunks SET at=at+1`, "size": `UPDATE chunks SET size=1000000000000`,
	} {
		t.Run(name, func(t *testing.T) {
			s := filled(t)
			d := s.open(Options{Notice: func(string) {}})
			s.sync(d)
			want := search1(t, d, retrieval.Query{Text: "flaky login"})
			mustExec(t, tables(t, d), damage)
			got := search1(t, d, retrieval.Query{Text: "flaky login"})
			if len(got) != len(want) || got[0].Text != want[0].Text {
				t.Errorf("%+v, want %+v", got, want)
			}
		})
	}
}

// TestPurgeAFact checks that a purge removes the chunk of one fact with its
// words, and no other chunk.
func TestPurgeAFact(t *testing.T) {
	s := newStore(t)
	fact := "- The password is quetzalcoatlus. <!-- id=0199-secretfact type=semantic importance=0.5 -->\n"
	s.put("facts.md", "# Facts\n\n## Animals\n\n"+strings.Repeat("The quokka eats leaves.\n", 200)+"\n## Secrets\n\n"+fact)
	d := s.open(Options{})
	s.sync(d)
	before, err := column[int](t.Context(), oneConn(t, tables(t, d)), `SELECT count(*) FROM chunks`)
	must(t, err)
	s.put("facts.md", "# Facts\n\n## Animals\n\n"+strings.Repeat("The quokka eats leaves.\n", 200))
	must(t, d.Purge(t.Context(), "0199-secretfact"))
	after, err := column[int](t.Context(), oneConn(t, tables(t, d)), `SELECT count(*) FROM chunks`)
	must(t, err)
	if after[0] != before[0]-1 {
		t.Errorf("%d chunks, before %d", after[0], before[0])
	}
	b, err := os.ReadFile(s.db())
	must(t, err)
	if strings.Contains(string(b), "etzalc") {
		t.Error("the fact is still in the index")
	}
	s.sync(d)
	check(t, s)
}

// TestTextsOfTheRepositorysFiles checks that when a file from the repository
// replaced a user's file after the sync, hits do not show its text as the
// user's.
func TestTextsOfTheRepositorysFiles(t *testing.T) {
	s := newStore(t)
	s.db() // what SQLite does
	s.put("2026-11-21.md", entry("0199-quokka", day, "Feed the quokka", "It eats leaves."))
	d := s.open(Options{})
	from := s.source()
	brought := false
	from.Untrusted = func(string) bool { return brought }
	_, err := d.Sync(t.Context(), from)
	must(t, err)
	s.put("2026-11-21.md", entry("0199-quokka", day, "Feed the quokka", "It eats your keys."))
	if hits := search1(t, d, retrieval.Query{Text: "quokka"}); len(hits) != 1 || !strings.Contains(hits[0].Text, "keys") {
		t.Errorf("edited by the user: %+v", hits)
	}
	brought = true
	if hits := search1(t, d, retrieval.Query{Text: "quokka"}); len(hits) != 1 || hits[0].Text != "" {
		t.Errorf("brought by the repository: %+v", hits)
	}
}
