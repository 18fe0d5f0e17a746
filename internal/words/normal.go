package words

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// SameText is the form in which two texts are equal that differ only in white
// space, in the capital that begins a word, or in a full stop at the end. A
// word with any other capital is a name, and stays as it stands. Tombstones
// and ids are made of this form: it must stay as it is.
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

// Plain is the form in which one text is looked for in another: its words in
// lower case, without the punctuation around them, and one blank between two.
func Plain(text string) string {
	fields := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("\"'`*()[]{}<>,;:!?", r)
	})
	for i, w := range fields {
		fields[i] = strings.Trim(w, ".-")
	}
	return strings.Join(fields, " ")
}

// articles are the only words that the normal form leaves out: any other,
// "is" and "to" included, can turn one meaning into another ("the client is
// called" and "the client called").
var articles = Set("a an the please")

// Normal is the form in which two facts are equal that say the same: their
// words in order, without articles, punctuation and white space. Ordinary
// words are in lower case. Numbers, identifiers, paths, flags, versions and
// code stay as they stand, and so does every negation. No word holds a blank.
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
			r.prose("`" + part) // never closed
		default:
			r.prose(part)
		}
		text = strings.TrimLeft(rest, "`")
	}
	return strings.Join(r.list, " ")
}

// straight makes quotation marks those of the keyboard.
var straight = strings.NewReplacer("’", "'", "‘", "'", "“", `"`, "”", `"`)

// compatible is the text in the form NFKC, but for characters such as ² and
// ½, which would become part of the number before them.
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
	shout bool // every word begins with a capital, so that it means nothing
}

// capitals reports a text of which every word begins with a capital.
func capitals(text string) bool {
	for w := range strings.FieldsSeq(text) {
		if r, _ := utf8.DecodeRuneInString(w); unicode.IsLower(r) && !IsExact(w) {
			return false
		}
	}
	return true
}

// emphasis is a text between asterisks.
var emphasis = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(^|[\s(])\*{1,3}([^*\s](?:[^*]*[^*\s])?)\*{1,3}($|[\s).,;:!?])`)
})

// prose reads a text that is no code.
func (r *normalizer) prose(text string) {
	if strings.Contains(text, "*") {
		for range 2 { // neighbours share the blank between them
			text = emphasis().ReplaceAllString(text, "$1$2$3")
		}
	}
	for _, w := range strings.FieldsFunc(text, isGap) {
		r.pieces(w)
	}
}

// isGap reports a character that stands between words, a dash too.
func isGap(c rune) bool { return unicode.IsSpace(c) || c == '–' || c == '—' }

// pieces cuts a word around Chinese and Japanese characters, of which each is
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

// word takes a word with the punctuation around it.
func (r *normalizer) word(w string) {
	bare, question := Bare(w)
	switch {
	case bare == "" && strings.Trim(w, `.,;:!?-`) != "":
		r.list = append(r.list, w) // such as {} or "": it says something
	case bare == "":
	case IsExact(bare):
		r.list = append(r.list, bare)
	default:
		r.ordinary(bare)
	}
	if question {
		r.list = append(r.list, "?") // a question says something else
	}
}

// Bare is the word without quotes, brackets and the signs that end a
// clause; question says that a question mark was among them.
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

// IsExact reports a word that counts as it stands: it holds a digit or a sign
// that no ordinary word has, or a capital behind a small letter.
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

// ordinary takes a word in any case. One with hyphens is several; n't is not.
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
