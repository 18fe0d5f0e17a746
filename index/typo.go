package index

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"
)

// What is looked for of a word that no chunk holds. Four of five typing
// errors are one edit away from what was meant (F. J. Damerau, "A technique
// for computer detection and correction of spelling errors", 1964), and the
// first letter is nearly always right.
const (
	maxTypos   = 3  // such words of one query
	typoMin    = 5  // letters; shorter words are near too many others
	typoMax    = 16 // letters; bounds what is looked up
	vowelMin   = 6  // letters of a word that may have a wrong vowel
	letterMin  = 7  // letters of a word that may have any likely edit
	lookedAt   = 8  // words that may be meant, and texts that hold each
	twoSlipMin = 8  // letters of a word that may have two slips
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
func (t *term) misspelt() bool {
	return t.df == 0 && !t.named && len(t.text) >= typoMin && len(t.text) <= typoMax && isLetters(t.text)
}

func isLetters(s string) bool {
	for i := range len(s) {
		if s[i] < 'a' || s[i] > 'z' {
			return false
		}
	}
	return true
}

// meant returns the term that stands for t; t itself when none is near.
func (t term) meant(ctx context.Context, c *sql.Conn) (term, error) {
	best, err := mostHeld(ctx, c, edits(t.text))
	if err == nil && best.df == 0 && len(t.text) >= twoSlipMin {
		best, err = mostHeld(ctx, c, twoSlips(t.text))
	}
	if err != nil || best.df == 0 {
		return t, err
	}
	return best, nil
}

// mostHeld returns the word that stands in most chunks; its df is 0 when none
// does. That chunks hold the stem is not enough: it may be that of another
// word.
func mostHeld(ctx context.Context, c *sql.Conn, words []string) (term, error) {
	hashes := make(map[uint32]int, len(words))
	of := make(map[uint32][]string, len(words))
	for _, w := range words {
		h := termHash(stem(w))
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

// spelling returns the one of words with the same stem that stands in a text,
// the number apart; "" when none does.
func spelling(ctx context.Context, c *sql.Conn, words []string) (string, error) {
	texts, err := column[string](ctx, c, `SELECT text FROM chunks WHERE id IN (SELECT rowid FROM fts WHERE fts MATCH ? ORDER BY rowid DESC LIMIT ?)`,
		`"`+stem(words[0])+`"`, lookedAt)
	if err != nil {
		return "", err
	}
	for _, text := range texts {
		low := strings.ToLower(text)
		for _, w := range words {
			if standsIn(low, strings.TrimSuffix(w, "s")) {
				return w, nil
			}
		}
	}
	return "", nil
}

// standsIn says whether a text has a word, or its plural.
func standsIn(text, word string) bool {
	in := func(s string) bool { return s != "" && s[0] != '_' && isWord(rune(s[0])) }
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return false
		}
		at += i + len(word)
		if !in(strings.TrimPrefix(text[at:], "s")) && (at == len(word) || !in(text[at-len(word)-1:])) {
			return true
		}
	}
}

// edits returns the words one likely edit away from w: its slips and, in longer
// words, a vowel or a letter left out, added, or mistaken for one that sounds
// alike or has its key beside it. Short words are near too many others.
func edits(w string) []string {
	out := slips(w)
	if len(w) < vowelMin {
		return out
	}
	add := func(typed, meant byte, variant string) {
		if len(w) >= letterMin || isVowel(typed, true) && isVowel(meant, true) {
			out = append(out, variant)
		}
	}
	for i := 1; i <= len(w); i++ {
		for l := byte('a'); l <= 'z'; l++ {
			add(l, l, w[:i]+string(rune(l))+w[i:])
			if i < len(w) && mistaken(w[i], l) {
				add(w[i], l, w[:i]+string(rune(l))+w[i+1:])
			}
		}
		if i < len(w) {
			add(w[i], w[i], w[:i]+w[i+1:])
		}
	}
	return out
}

// keys are the rows of a keyboard.
const keys = "qwertyuiop asdfghjkl zxcvbnm"

func mistaken(a, b byte) bool {
	return a != b && (isVowel(a, true) && isVowel(b, true) ||
		strings.Contains(keys, string([]byte{a, b})) || strings.Contains(keys, string([]byte{b, a})))
}

// twoSlips returns the words two slips away.
func twoSlips(w string) []string {
	var out []string
	for i := range len(w) {
		for _, once := range slipsAt(w, i) {
			for j := i + 1; j < len(once); j++ {
				out = append(out, slipsAt(once, j)...)
			}
		}
	}
	return out
}

// slips returns the words one slip away.
func slips(w string) []string {
	var out []string
	for i := range len(w) {
		out = append(out, slipsAt(w, i)...)
	}
	return out
}

// slipsAt returns those of the slip at a place: neighbours swapped, a letter
// doubled, a double letter single, and s for z, as in "authorise".
func slipsAt(w string, i int) []string {
	out := []string{w[:i+1] + w[i:]}
	switch w[i] {
	case 's':
		out = append(out, w[:i]+"z"+w[i+1:])
	case 'z':
		out = append(out, w[:i]+"s"+w[i+1:])
	}
	switch {
	case i+1 == len(w):
	case w[i] == w[i+1]:
		out = append(out, w[:i]+w[i+1:])
	default:
		out = append(out, w[:i]+w[i+1:i+2]+w[i:i+1]+w[i+2:])
	}
	return out
}
