package index

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"

	"agentflow/internal/words"
)

const (
	maxTypos = 3 // words of one query that may be typing errors
	lookedAt = 8 // words that may be meant, and texts that hold each
)

// correct puts in the place of the terms that no chunk holds, measured, what
// was most likely meant: the nearest words that chunks hold, and of those the
// one in most chunks.
func correct(ctx context.Context, c *sql.Conn, terms []term) ([]term, error) {
	kept := terms[:0:0]
	at := map[uint32]bool{}
	for _, t := range terms {
		at[t.hash] = true
	}
	typos := 0
	for _, t := range terms {
		if t.misspelt() && typos < maxTypos {
			typos++
			meant, err := t.meant(ctx, c)
			if err != nil {
				return nil, err
			}
			if meant.hash != t.hash && at[meant.hash] {
				continue // the query has it already
			}
			at[meant.hash] = true
			t = meant
		}
		kept = append(kept, t)
	}
	return kept, nil
}

// misspelt says whether a term may be a typing error: no chunk holds it, and
// it is a word of plain letters.
func (t *term) misspelt() bool { return t.df == 0 && !t.named && words.MayBeTypo(t.text) }

// meant returns the term that stands for t; t itself when none is near.
func (t term) meant(ctx context.Context, c *sql.Conn) (term, error) {
	best, err := mostHeld(ctx, c, words.Edits(t.text))
	if err == nil && best.df == 0 {
		best, err = mostHeld(ctx, c, words.TwoSlips(t.text))
	}
	if err != nil || best.df == 0 {
		return t, err
	}
	return best, nil
}

// mostHeld returns the word that stands in most chunks; its df is 0 when none
// does. That chunks hold the stem is not enough: it may be that of another
// word.
func mostHeld(ctx context.Context, c *sql.Conn, spellings []string) (term, error) {
	if len(spellings) == 0 {
		return term{}, nil
	}
	hashes := make(map[uint32]int, len(spellings))
	of := make(map[uint32][]string, len(spellings))
	for _, w := range spellings {
		h := termHash(words.Stem(w))
		hashes[h] = 0
		of[h] = append(of[h], w)
	}
	if err := countTerms(ctx, c, hashes); err != nil {
		return term{}, err
	}
	var held []term
	for h, df := range hashes {
		if df > 0 {
			held = append(held, term{text: of[h][0], hash: h, df: df, typo: true})
		}
	}
	slices.SortFunc(held, func(a, b term) int { return cmp.Or(cmp.Compare(b.df, a.df), strings.Compare(a.text, b.text)) })
	for _, t := range held[:min(len(held), lookedAt)] {
		text, err := spelling(ctx, c, of[t.hash])
		if t.text = text; err != nil || text != "" {
			return t, err
		}
	}
	return term{}, nil
}

// spelling returns the one of some words with the same stem that stands in a text,
// the number apart; "" when none does.
func spelling(ctx context.Context, c *sql.Conn, alike []string) (string, error) {
	texts, err := column[string](ctx, c, `SELECT text FROM chunks WHERE id IN (SELECT rowid FROM fts WHERE fts MATCH ? ORDER BY rowid DESC LIMIT ?)`,
		`"`+words.Stem(alike[0])+`"`, lookedAt)
	if err != nil {
		return "", err
	}
	for _, text := range texts {
		low := strings.ToLower(text)
		for _, w := range alike {
			if words.StandsIn(low, strings.TrimSuffix(w, "s")) {
				return w, nil
			}
		}
	}
	return "", nil
}
