package words

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Token is one search term of a text: lower-cased, without diacritics, and not
// yet stemmed.
type Token struct {
	Text string
	// Named is set for a path with a file extension and for an identifier
	// (camelCase, snake_case), because a text that names one means exactly that
	// one.
	Named bool
	// From and To delimit it in the text passed to Scan; both are 0 for a path,
	// since its words have positions.
	From, To int
}

// MaxWord limits the bytes of a word: a longer one is data
// (base64, a minified line) and not a term.
const MaxWord = 64

// maxGroup limits the joined words in a path.
const maxGroup = 16

// Tokenize returns the terms of text in order. Words are runs of letters,
// digits and '_'. An identifier gives itself and its parts. A path gives its
// words, its base name and itself (with '_' in place of the separators). Text
// without spaces between words (Chinese, Thai) gives its bigrams. Each symbol
// (emoji) is a term. Function words are left out unless there are no other
// terms.
func Tokenize(text string) []Token {
	all := Scan(Fold(text))
	idle := func(t Token) bool { return !t.Named && stopwords[t.Text] }
	if !slices.ContainsFunc(all, func(t Token) bool { return !idle(t) }) {
		return all
	}
	return slices.DeleteFunc(all, idle)
}

// Scan returns all terms of a folded text, including function words.
func Scan(text string) []Token {
	s := scanner{text: text, out: make([]Token, 0, len(text)/6)}
	end := 0 // end of the text read so far
	for run := range Runs(text) {
		if run.From < end {
			continue // the t of "don't"
		}
		s.symbols(end, run.From)
		end = run.To
		if run.Unspaced {
			s.bigrams(run.From, run.To)
		} else if n := contracted(text[run.To:]); n > 0 {
			s.out = append(s.out, Token{Text: strings.ToLower(text[run.From:run.To]) + "t", From: run.From, To: run.To + n})
			end += n
		} else if s.word(run.From, run.To); run.Joint != 0 {
			s.joint(run.Joint)
			continue
		}
		s.endGroup()
	}
	s.symbols(end, len(text))
	return s.out
}

// Run is a part of a text: a word, or characters of a script without spaces
// between words.
type Run struct {
	From, To int
	Unspaced bool
	Joint    byte // '/', '.' or '-' if it is all that separates this word from the next; otherwise 0
}

// Runs splits a text. The text outside of all runs separates words.
func Runs(text string) iter.Seq[Run] {
	spaced := func(r rune) bool { return IsWord(r) && !IsUnspaced(r) }
	return func(yield func(Run) bool) {
		for i := 0; i < len(text); {
			r, n := decode(text[i:])
			run := Run{From: i, To: i + n}
			switch {
			case IsUnspaced(r):
				run.Unspaced = true
				run.To = runEnd(text, i+n, IsUnspaced)
			case IsWord(r):
				run.To = runEnd(text, i+n, spaced)
				if at := run.To; at+1 < len(text) && isJoint(text[at]) && joins(text[at+1:]) {
					run.Joint = text[at]
				}
			default:
				i += n
				continue
			}
			if i = run.To; !yield(run) {
				return
			}
		}
	}
}

// runEnd returns the end of the characters from i on for which in is true.
func runEnd(text string, i int, in func(rune) bool) int {
	for i < len(text) {
		r, n := decode(text[i:])
		if !in(r) {
			break
		}
		i += n
	}
	return i
}

// scanner collects tokens and the current group of joined words.
type scanner struct {
	text   string
	out    []Token
	words  []string // of the group, lower-cased
	joints []byte   // joints[i] follows words[i]
}

// contracted returns the number of bytes of "'t" after a word, as in "don't",
// or 0. The parts of such a word are function words, but the whole has a
// meaning.
func contracted(rest string) int {
	for _, mark := range []string{"'", "’"} {
		if after, ok := strings.CutPrefix(rest, mark); ok && after != "" && after[0]|0x20 == 't' && !joins(after[1:]+" ") {
			return len(mark) + 1
		}
	}
	return 0
}

// symbols adds the symbols (emoji) of a part of the text.
func (s *scanner) symbols(from, to int) {
	for i, r := range s.text[from:to] {
		if unicode.Is(unicode.So, r) {
			s.add(from+i, from+i+utf8.RuneLen(r))
		}
	}
}

// add adds a part of the text as a token.
func (s *scanner) add(from, to int) {
	s.out = append(s.out, Token{Text: strings.ToLower(s.text[from:to]), From: from, To: to})
}

// word adds a word and, for an identifier, its parts.
func (s *scanner) word(from, to int) {
	for from < to && s.text[from] == '_' {
		from++
	}
	for from < to && s.text[to-1] == '_' {
		to--
	}
	if from == to || to-from > MaxWord {
		return
	}
	s.add(from, to)
	whole := &s.out[len(s.out)-1]
	s.words = append(s.words, whole.Text)
	parts := Parts(s.text[from:to])
	whole.Named = len(parts) > 0
	for _, part := range parts {
		from += strings.Index(s.text[from:to], part)
		s.add(from, from+len(part))
		from += len(part)
	}
}

func (s *scanner) joint(c byte) {
	if len(s.words) > len(s.joints) {
		s.joints = append(s.joints, c)
	}
}

// endGroup adds the names of a path: its base name, its last two elements, and
// the whole path.
func (s *scanner) endGroup() {
	words, joints := s.words, s.joints
	s.words, s.joints = s.words[:0], s.joints[:0]
	if len(words) < 2 || len(words) > maxGroup {
		return
	}
	joints = joints[:len(words)-1]
	base, dir := 0, -1 // where the last element and the one before it begin
	for i, c := range joints {
		if c == '/' {
			dir, base = base, i+1
		}
	}
	hasDot := strings.IndexByte(string(joints[base:]), '.') >= 0
	if !hasDot && base == 0 {
		return // words with hyphens
	}
	named := hasDot && isExtension(words[len(words)-1]) && len(words[base]) > 1
	if hasDot {
		s.out = append(s.out, Token{Text: strings.Join(words[base:], "_"), Named: named})
	}
	if base > 0 {
		if dir > 0 {
			s.out = append(s.out, Token{Text: strings.Join(words[dir:], "_"), Named: named})
		}
		s.out = append(s.out, Token{Text: strings.Join(words, "_"), Named: named})
	}
}

// bigrams adds each two neighbouring characters, or a single character.
func (s *scanner) bigrams(from, to int) {
	_, n := decode(s.text[from:])
	if from+n == to {
		s.add(from, to)
	}
	for from+n < to {
		_, next := decode(s.text[from+n:])
		s.add(from, from+n+next)
		from, n = from+n, next
	}
}

// isPlain cheaply recognizes most words that Parts would not split.
func isPlain(w string) bool {
	for i := 1; i < len(w); i++ {
		if c := w[i]; c == '_' || 'A' <= c && c <= 'Z' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Parts splits an identifier at '_', before an upper-case letter that follows a
// lower-case one, and before the last upper-case letter of a run that is
// followed by a lower-case one (HTTPServer: HTTP, Server). It returns nil for a
// plain word.
func Parts(w string) []string {
	if isPlain(w) {
		return nil
	}
	var parts []string
	start := 0
	prev, prev2 := rune(0), rune(0)
	prevAt := 0
	for i, r := range w {
		switch {
		case r == '_':
			if i > start {
				parts = append(parts, w[start:i])
			}
			start = i + 1
		case unicode.IsUpper(r) && unicode.IsLower(prev):
			parts = append(parts, w[start:i])
			start = i
		case unicode.IsLower(r) && unicode.IsUpper(prev) && unicode.IsUpper(prev2) && prevAt > start:
			parts = append(parts, w[start:prevAt])
			start = prevAt
		}
		prev2, prev, prevAt = prev, r, i
	}
	if start == 0 {
		return nil
	}
	if start < len(w) {
		parts = append(parts, w[start:])
	}
	return parts
}

// isExtension reports whether the last word of a dotted name looks like a file
// extension: "go" and "mp3", but not "2" or the next word of a sentence without
// a space.
func isExtension(w string) bool {
	return len(w) <= 8 && w[0] >= 'a' && w[0] <= 'z'
}

func isJoint(c byte) bool { return c == '/' || c == '.' || c == '-' }

func joins(rest string) bool {
	r, _ := decode(rest)
	return IsWord(r) && !IsUnspaced(r)
}

func decode(s string) (rune, int) {
	if c := s[0]; c < utf8.RuneSelf {
		return rune(c), 1
	}
	return utf8.DecodeRuneInString(s)
}
