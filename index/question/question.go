// Package question reads a task as evidence: its words, and the files, modules and identifiers
// that it names exactly, also in stack traces. It is pure.
//
// Not guaranteed: that a name exists. The work tree and memory decide that.
package question

import (
	"strings"

	"agentflow/index/stems"
	"agentflow/internal/words"
)

// MaxRunes limits the reading of a task.
const MaxRunes = 8000

// openingRunes limits the beginning that counts as the opening: see Word.Opening.
const openingRunes = 600

// Question is what a task names.
type Question struct {
	Words   []Word // distinct stems, in the order of the text
	Paths   []Path
	Modules []Module
	Symbols []Symbol
}

// Word is a word of a task.
type Word struct {
	Text    string // lower-cased
	Stem    uint32 // hash
	Count   int
	Named   bool // an identifier or a path
	Title   bool // in the first line, if there are more
	Opening bool // in the first line or at the beginning of the rest
}

// Read reads a task.
func Read(text string) *Question {
	text = words.FirstRunes(strings.TrimSpace(text), MaxRunes)
	q := &Question{Words: read(text)}
	q.readNames(text)
	return q
}

// read returns the words of a text.
func read(text string) (list []Word) {
	title, rest, _ := strings.Cut(text, "\n")
	opening := words.FirstRunes(rest, openingRunes)
	at := map[uint32]int{}
	part := func(text string, title, opening bool) {
		for _, token := range words.WithoutChatter(words.Tokenize(text)) {
			if words.IsShortNumber(token.Text) {
				continue
			}
			stem := stems.Hash(words.Stem(token.Text))
			i, ok := at[stem]
			if !ok {
				i = len(list)
				at[stem] = i
				list = append(list, Word{Text: token.Text, Stem: stem})
			}
			w := &list[i]
			w.Count++
			w.Named, w.Title, w.Opening = w.Named || token.Named, w.Title || title, w.Opening || opening
		}
	}
	part(words.FirstRunes(title, openingRunes)+"\n"+opening, false, true)
	part(rest[len(opening):], false, false)
	if rest == "" {
		return list
	}
	for _, token := range words.Tokenize(title) {
		if i, ok := at[stems.Hash(words.Stem(token.Text))]; ok {
			list[i].Title = true
		}
	}
	return list
}

// Weight returns how much a word counts besides its rarity.
func (w Word) Weight() float64 {
	if w.Title {
		return 1.5
	}
	return 1
}
