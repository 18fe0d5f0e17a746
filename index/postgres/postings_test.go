package postgres

import (
	"database/sql"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"agentflow/index/rank"
	"agentflow/index/stems"
	"agentflow/index/store"
	"agentflow/internal/words"

	_ "modernc.org/sqlite"
)

// TestScoresAreFTS5s gives random texts to FTS5 and to our postings: the same documents
// have the same scores.
func TestScoresAreFTS5s(t *testing.T) {
	db, err := sql.Open("sqlite", "file::memory:")
	must(t, err)
	defer db.Close()
	db.SetMaxOpenConns(1)
	_, err = db.Exec(`CREATE VIRTUAL TABLE fts USING fts5(title, body, files, content='', tokenize="ascii tokenchars '_'")`)
	must(t, err)
	rng := rand.New(rand.NewPCG(1, 2))
	lists := map[uint32][]posting{}
	var c corpus
	for id := int64(1); id <= 500; id++ {
		text := [columns]string{randomText(rng, 5), randomText(rng, 60), randomText(rng, 8)}
		_, err := db.Exec(`INSERT INTO fts(rowid, title, body, files) VALUES(?,?,?,?)`, id, text[0], text[1], text[2])
		must(t, err)
		for h, p := range postingsOf(id, text) {
			lists[h] = append(lists[h], p)
		}
		c.documents++
		c.tokens += int64(len(strings.Fields(strings.Join(text[:], " "))))
	}
	for range 100 {
		var m store.Match
		var held [][]posting
		for range 1 + rng.IntN(4) {
			word := fmt.Sprint("w", rng.IntN(40))
			if slices.ContainsFunc(m.Terms, func(t rank.Term) bool { return t.Text == word }) {
				continue
			}
			m.Terms = append(m.Terms, rank.Term{Text: word})
			held = append(held, lists[stems.Hash(words.Stem(word))])
		}
		m.Scored, m.Best, m.FilesWeight = -1, -1, 0.7
		got, err := scorer{c, m.FilesWeight}.match(m, blocksOf(t, held), nil)
		must(t, err)
		if want := asked(t, db, m); !alike(got, want) {
			t.Fatalf("%v: %d documents %v, FTS5 has %d %v", m.Terms, len(got), got, len(want), want)
		}
	}
}

// blocksOf returns the postings as stored.
func blocksOf(t *testing.T, terms [][]posting) blocks {
	t.Helper()
	all := blocks{}
	for term, list := range terms {
		of := map[int64][]posting{}
		for _, p := range list {
			of[blockOf(p.id)] = append(of[blockOf(p.id)], p)
		}
		for block, list := range of {
			c, err := open(encode(list))
			must(t, err)
			all[block] = append(all[block], termPostings{term, c})
		}
	}
	return all
}

func asked(t *testing.T, db *sql.DB, m store.Match) map[int64]float64 {
	t.Helper()
	rows, err := db.Query(`SELECT rowid, -bm25(fts, 1.0, 1.0, ?) FROM fts WHERE fts MATCH ?`, m.FilesWeight, strings.Join(m.Phrases(), " OR "))
	must(t, err)
	defer rows.Close()
	found := map[int64]float64{}
	for rows.Next() {
		var id int64
		var score float64
		must(t, rows.Scan(&id, &score))
		found[id] = score
	}
	must(t, rows.Err())
	return found
}

func alike(a, b map[int64]float64) bool {
	for id, score := range a {
		if math.Abs(score-b[id]) > 1e-12*math.Abs(score) {
			return false
		}
	}
	return len(a) == len(b)
}

// randomText has words of a vocabulary in which the first are common.
func randomText(rng *rand.Rand, n int) string {
	list := make([]string, rng.IntN(n))
	for i := range list {
		list[i] = words.Stem(fmt.Sprint("w", int(40*rng.Float64()*rng.Float64())))
	}
	return strings.Join(list, " ")
}

// FuzzPostings decodes arbitrary bytes: they are refused, or encoding gives the
// same bytes again.
func FuzzPostings(f *testing.F) {
	f.Add(int64(3), encode([]posting{{id: 3 << blockBits, times: [columns]uint32{1, 2, 3}, length: 9}, {id: 3<<blockBits + 4095, length: 1 << 31}}))
	f.Fuzz(func(t *testing.T, block int64, raw []byte) {
		if block < 0 || block > 1<<50 {
			return
		}
		list, err := decode(block, raw)
		if err != nil {
			return
		}
		again, err := decode(block, encode(list))
		if err != nil || !reflect.DeepEqual(list, again) {
			t.Errorf("%v became %v, %v", list, again, err)
		}
	})
}

func TestMerge(t *testing.T) {
	list := []posting{{id: 1}, {id: 2}, {id: 5}}
	got := merge(list, []posting{{id: 3}, {id: 2, length: 7}}, map[int64]bool{2: true, 5: true})
	if want := []posting{{id: 1}, {id: 2, length: 7}, {id: 3}}; !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
