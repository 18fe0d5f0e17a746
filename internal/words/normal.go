package words

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// SameText returns a form that is equal for two texts that differ only in white
// space, in the capital at the start of a word, or in a full stop at the end. A
// word with any other capital is a name and stays unchanged. Tombstones and ids
// depend on this form, so it must not change.
func SameText(text string) string {
	words := strings.Fields(text)
	for i, w := range words {
		rest := strings.TrimLeftFunc(w, func(r rune) bool { return !unicode.IsLetter(r) })
		_, first := utf8.DecodeRuneInString(rest)
		if strings.IndexFunc(rest[first:], unicode.IsUpper) < 0 {
			words[i] = strings.ToLower(w)
		}
	}
	return strings.TrimRight(strings.Join(words, " "), ".")
}

// Plain returns the form in which one text is searched for in another: its
// words in lower case, without the punctuation around them, separated by one
// blank.
func Plain(text string) string {
	fields := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("\"'`*()[]{}<>,;:!?", r)
	})
	for i, w := range fields {
		fields[i] = strings.Trim(w, ".-")
	}
	return strings.Join(fields, " ")
}

// articles are the only words that the normal form leaves out. Any other word,
// even "is" and "to", can change the meaning ("the client is called" and "the
// client called").
var articles = Set("a an the please")

// Normal returns a form that is equal for two facts with the same meaning: the
// words in order, without articles, punctuation and white space. Ordinary words
// are in lower case. Numbers, identifiers, paths, flags, versions and code stay
// unchanged, and so does every negation. No word contains a blank.
func Normal(text string) string {
	text = compatible(text)
	text = straight.Replace(text)
	r := normalizer{shout: capitals(text)}
	for code := false; text != ""; code = !code {
		part, rest, closed := strings.Cut(text, "`")
		switch {
		case code && closed:
			r.list = append(r.list, strings.Fields(part)...)
		case code:
			r.prose("`" + part) // without a closing backtick
		default:
			r.prose(part)
		}
		text = strings.TrimLeft(rest, "`")
	}
	return strings.Join(r.list, " ")
}

// straight replaces typographic quotation marks by those of the keyboard.
var straight = strings.NewReplacer("’", "'", "‘", "'", "“", `"`, "”", `"`)

// compatible returns the text in the form NFKC, except for characters such as ²
// and ½, which would become part of the number before them.
func compatible(text string) string {
	if norm.NFKC.IsNormalString(text) {
		return text
	}
	var b strings.Builder
	from := 0
	for i, r := range text {
		if unicode.Is(unicode.No, r) {
			b.WriteString(norm.NFKC.String(text[from:i]))
			b.WriteRune(r)
			from = i + len(string(r))
		}
	}
	b.WriteString(norm.NFKC.String(text[from:]))
	return b.String()
}

// normalizer collects the words of a normal form.
type normalizer struct {
	list  []string
	shout bool // every word begins with a capital, so capitals have no meaning
}

// capitals reports whether every word of a text begins with a capital.
func capitals(text string) bool {
	for w := range strings.FieldsSeq(text) {
		if r, _ := utf8.DecodeRuneInString(w); unicode.IsLower(r) && !IsExact(w) {
			return false
		}
	}
	return true
}

// emphasis matches a text between asterisks.
var emphasis = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(^|[\s(])\*{1,3}([^*\s](?:[^*]*[^*\s])?)\*{1,3}($|[\s).,;:!?])`)
})

// prose adds the words of a text that is not code.
func (r *normalizer) prose(text string) {
	if strings.Contains(text, "*") {
		for range 2 { // twice, because neighbours share the blank between them
			text = emphasis().ReplaceAllString(text, "$1$2$3")
		}
	}
	for _, w := range strings.FieldsFunc(text, isGap) {
		r.pieces(w)
	}
}

// isGap reports whether a character separates words; a dash does.
func isGap(c rune) bool { return unicode.IsSpace(c) || c == '–' || c == '—' }

// pieces splits a word around Chinese and Japanese characters. Each of them is
// a word.
func (r *normalizer) pieces(w string) {
	from := 0
	for i, c := range w {
		wide := unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana)
		if !wide && !(c > unicode.MaxASCII && unicode.IsPunct(c)) {
			continue
		}
		r.word(w[from:i])
		if wide {
			r.list = append(r.list, string(c))
		}
		from = i + len(string(c))
	}
	r.word(w[from:])
}

// word adds a word without the punctuation around it.
func (r *normalizer) word(w string) {
	bare, question := Bare(w)
	switch {
	case bare == "" && strings.Trim(w, `.,;:!?-`) != "":
		r.list = append(r.list, w) // such as {} or "", which have a meaning
	case bare == "":
	case IsExact(bare):
		r.list = append(r.list, bare)
	default:
		r.ordinary(bare)
	}
	if question {
		r.list = append(r.list, "?") // a question has another meaning
	}
}

// Bare returns the word without quotes, brackets and the punctuation at the end
// of a clause. question reports whether that included a question mark.
func Bare(w string) (bare string, question bool) {
	w = strings.TrimLeft(w, `"'([{`)
	for w != "" {
		last := w[len(w)-1]
		if strings.IndexByte(`.,;:!?"')]}`, last) < 0 || last == '.' && strings.HasSuffix(w, "/...") {
			break
		}
		question = question || last == '?'
		w = w[:len(w)-1]
	}
	if strings.Trim(w, "-") == "" && w != "--" {
		return "", question
	}
	return w, question
}

// IsExact reports whether a word must stay unchanged: it has a digit, a sign
// that no ordinary word has, or a capital after a lower-case letter.
func IsExact(w string) bool {
	small := false
	for i, c := range w {
		switch {
		case c == '-' && i > 0, c == '\'':
			small = false
		case !unicode.IsLetter(c) && !unicode.IsMark(c):
			return true
		case unicode.IsUpper(c) && small:
			return true
		default:
			small = unicode.IsLower(c)
		}
	}
	return false
}

// ordinary adds a word in any case. A word with hyphens is split, n't is
// replaced by "not".
func (r *normalizer) ordinary(w string) {
	if w == "A" && len(r.list) > 0 && !r.shout {
		r.list = append(r.list, w) // as in "plan A"
		return
	}
	for part := range strings.SplitSeq(strings.ToLower(w), "-") {
		switch {
		case articles[part] || part == "":
			continue
		case part == "cannot" || part == "can't":
			r.list = append(r.list, "can", "not")
			continue
		case part == "won't":
			r.list = append(r.list, "will", "not")
			continue
		}
		if verb, ok := strings.CutSuffix(part, "n't"); ok && verb != "" {
			r.list = append(r.list, verb, "not")
			continue
		}
		r.list = append(r.list, part)
	}
}
