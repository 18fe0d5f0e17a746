package words

import (
	"database/sql"
	"math/rand/v2"
	"slices"
	"testing"

	_ "modernc.org/sqlite"
)

// TestStemIsFTS5s compares Stem with the real tokenizer over words built from
// the suffixes the algorithm knows, and over random letters.
func TestStemIsFTS5s(t *testing.T) {
	db, err := sql.Open("sqlite", "file::memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(`CREATE VIRTUAL TABLE f USING fts5(x, tokenize="porter unicode61 tokenchars '_'");
		CREATE VIRTUAL TABLE v USING fts5vocab(f, instance)`); err != nil {
		t.Fatal(err)
	}
	words := stemWords()
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range words {
		if _, err := tx.Exec(`INSERT INTO f(rowid, x) VALUES(?, ?)`, i, w); err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	rows, err := db.Query(`SELECT doc, term FROM v`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	seen := 0
	for rows.Next() {
		var id int
		var term string
		if err := rows.Scan(&id, &term); err != nil {
			t.Fatal(err)
		}
		seen++
		if got := Stem(words[id]); got != term {
			t.Errorf("Stem(%q) = %q, FTS5 has %q", words[id], got, term)
		}
	}
	if err := rows.Err(); err != nil || seen != len(words) {
		t.Fatalf("%d of %d words compared, %v", seen, len(words), err)
	}
}

func stemWords() []string {
	rng := rand.New(rand.NewPCG(1, 2))
	ends := []string{"", "s", "es", "ies", "sses", "eed", "ed", "ing", "y", "e", "ll", "lle"}
	for _, step := range []*rules{step2, step3, step4} {
		for _, r := range slices.Concat(step[:]...) {
			ends = append(ends, r.from, r.from+"s", r.from+"ed")
		}
	}
	var words []string
	for range 40000 {
		n := 1 + rng.IntN(7)
		b := make([]byte, n)
		for i := range b {
			b[i] = "aeiouybcdlnrstwxz_"[rng.IntN(18)]
		}
		words = append(words, "b"+string(b)+ends[rng.IntN(len(ends))])
	}
	return append(words, "a", "is", "sky", "flying", "hopping", "hoping", "caresses", "relational")
}
