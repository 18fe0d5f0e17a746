package index

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"

	"agentflow/index/rank"
	"agentflow/index/stems"
	"agentflow/internal/words"
)

const (
	maxCorrections = 3 // words of one query that are corrected
	lookedAt       = 8 // words that may be meant, and texts that hold each
)

// correct puts in the place of the terms that no chunk holds the word that was
// most likely meant: the nearest words that chunks hold, and of those the one
// in most chunks.
func correct(ctx context.Context, c *sql.Conn, terms []rank.Term) ([]rank.Term, error) {
	list := terms[:0:0]
	has := map[uint32]bool{}
	for _, t := range terms {
		has[t.Hash] = true
	}
	corrections := 0
	for _, t := range terms {
		if t.DF == 0 && !t.Named && words.MayBeMisspelt(t.Text) && corrections < maxCorrections {
			corrections++
			meant, err := correction(ctx, c, t)
			if err != nil {
				return nil, err
			}
			if meant.Hash != t.Hash && has[meant.Hash] {
				continue // the query has it already
			}
			has[meant.Hash] = true
			t = meant
		}
		list = append(list, t)
	}
	return list, nil
}

// correction returns the term that stands for t; t itself when none is near.
func correction(ctx context.Context, c *sql.Conn, t rank.Term) (rank.Term, error) {
	best, err := mostHeld(ctx, c, words.Edits(t.Text))
	if err == nil && best.DF == 0 {
		best, err = mostHeld(ctx, c, words.TwoSlips(t.Text))
	}
	if err != nil || best.DF == 0 {
		return t, err
	}
	return best, nil
}

// mostHeld returns the word that stands in most chunks; its DF is 0 when none
// does. That chunks hold the stem is not enough: it may be that of another
// word.
func mostHeld(ctx context.Context, c *sql.Conn, spellings []string) (rank.Term, error) {
	if len(spellings) == 0 {
		return rank.Term{}, nil
	}
	numbers := make(map[uint32]int, len(spellings))
	of := make(map[uint32][]string, len(spellings))
	for _, w := range spellings {
		h := stems.Hash(words.Stem(w))
		numbers[h] = 0
		of[h] = append(of[h], w)
	}
	if err := countTerms(ctx, c, numbers); err != nil {
		return rank.Term{}, err
	}
	var held []rank.Term
	for h, df := range numbers {
		if df > 0 {
			held = append(held, rank.Term{Text: of[h][0], Hash: h, DF: df})
		}
	}
	slices.SortFunc(held, func(a, b rank.Term) int { return cmp.Or(cmp.Compare(b.DF, a.DF), strings.Compare(a.Text, b.Text)) })
	for _, t := range held[:min(len(held), lookedAt)] {
		text, err := spelling(ctx, c, of[t.Hash])
		if t.Text = text; err != nil || text != "" {
			return t, err
		}
	}
	return rank.Term{}, nil
}

// spelling returns the one of some words with the same stem that stands in a
// text, the number apart; "" when none does.
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
