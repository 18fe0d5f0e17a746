package agentdocs

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"agentflow/internal/words"
)

// Texts are the statements that an agent has read.
type Texts struct {
	said  []statement
	files map[string]bool
}

// Reads reports whether a file, by its absolute name, was read.
func (t Texts) Reads(name string) bool { return t.files[name] }

// statement is a sentence of a file, as the stems of its words in their order.
type statement struct {
	file  string
	stems []string
}

// not stands for the stem of each word that negates a statement.
const not = "\x00not"

// Words that negate a statement, and words that limit it. They are never ignored as stop words.
var (
	turning = words.Set("not never no none don't dont do-not avoid without instead except unless cannot can't mustn't shouldn't won't isn't nor neither deprecated former formerly wrong bad forbidden obsolete old nicht nie kein keine keinen ohne statt ne pas jamais sans nunca sin non mai")
	limits  = words.Set("only if when until before after but unless while during")
)

// stemsOf returns the stems of the words of a sentence that count, in their order.
func stemsOf(sentence string) (list []string) {
	folded := strings.ReplaceAll(words.Fold(strings.ToLower(sentence)), "’", "'")
	for _, w := range strings.FieldsFunc(folded, func(r rune) bool { return !words.IsWord(r) && !strings.ContainsRune("'-./+#", r) }) {
		w = strings.TrimRight(strings.TrimLeft(w, "'./"), "'-./")
		switch {
		case w == "":
		case turning[w] || strings.HasSuffix(w, "n't"):
			list = append(list, not)
		case limits[w]:
			list = append(list, w)
		case !words.IsStopword(w):
			list = append(list, words.Stem(w))
		}
	}
	return list
}

// statements splits a text into sentences and items of lists. If a heading, or a line that ends
// in a colon, negates the text below it, each of the statements there is negated.
func statements(file, text string) (list []statement) {
	above := false // the heading or introduction negates
	for _, p := range paragraphs(text) {
		denies := slices.Contains(stemsOf(p.text), not)
		if p.heading || strings.HasSuffix(p.text, ":") {
			above = denies
			continue
		}
		if !p.item {
			above = false
		}
		for _, s := range sentences(p.text) {
			stems := stemsOf(s)
			if above {
				stems = append([]string{not}, stems...)
			}
			if len(stems) > 0 {
				list = append(list, statement{file, stems})
			}
		}
	}
	return list
}

// paragraph is a heading, an item of a list, or lines of text without an empty one.
type paragraph struct {
	text          string
	heading, item bool
}

// itemMark returns the mark at the beginning of a line that begins an item of a list, or "" for
// another line.
func itemMark(line string) string {
	rest := strings.TrimLeft(line, "0123456789")
	if len(rest) < 2 || rest[1] != ' ' || !(rest == line && strings.IndexByte("-*+", rest[0]) >= 0 || rest != line && strings.IndexByte(".)", rest[0]) >= 0) {
		return ""
	}
	return line[:len(line)-len(rest)+2]
}

var link = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[([^\]\n]*)\]\([^)\n]*\)`) })

// unlinked returns a text with its links replaced by their words.
func unlinked(text string) string {
	if !strings.Contains(text, "](") {
		return text
	}
	return link().ReplaceAllString(text, "$1")
}

// paragraphs splits Markdown, without comments, front matter and struck text.
func paragraphs(text string) (list []paragraph) {
	if matter := frontMatter(text); matter != "" {
		_, text, _ = strings.Cut(strings.ReplaceAll(text, "\r\n", "\n"), matter+"\n---")
	}
	open := false // the last one may have more lines
	for line := range strings.SplitSeq(withoutComments(text), "\n") {
		trimmed := strings.TrimSpace(line)
		mark := itemMark(trimmed)
		switch {
		case trimmed == "" || strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "---"):
			open = false
		case strings.Contains(trimmed, "~~"):
			open = false
		case strings.HasPrefix(trimmed, "#"):
			list, open = append(list, paragraph{text: strings.Trim(trimmed, "# "), heading: true}), false
		case mark != "":
			list, open = append(list, paragraph{text: unlinked(trimmed[len(mark):]), item: true}), true
		case open:
			list[len(list)-1].text += " " + trimmed
		default:
			list, open = append(list, paragraph{text: unlinked(trimmed)}), true
		}
	}
	return list
}

func withoutComments(text string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "<!--")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		if _, text, ok = strings.Cut(rest, "-->"); !ok {
			return b.String()
		}
	}
}

// sentences splits a paragraph.
func sentences(text string) []string {
	for _, end := range []string{". ", "! ", "? ", "; "} {
		text = strings.ReplaceAll(text, end, end+"\n")
	}
	return strings.Split(text, "\n")
}

// Says returns the file that contains a statement. Each sentence of the statement must match
// one sentence that has its words in their order, the same number of negations, and at most a
// third more words. Of six or more words, one may be missing.
func (t Texts) Says(text string) (file string, ok bool) {
	said := 0
	for _, p := range paragraphs(text) {
		for _, s := range sentences(p.text) {
			stems := stemsOf(s)
			if len(stems) == 0 {
				continue
			}
			i := slices.IndexFunc(t.said, func(have statement) bool { return covers(have.stems, stems) })
			if i < 0 {
				return "", false
			}
			file, said = t.said[i].file, said+1
		}
	}
	return file, said > 0
}

// covers reports whether a sentence has the words of another.
func covers(have, want []string) bool {
	if len(have) > len(want)+len(want)/3 || !limitedAlike(have, want) || len(want) < 2 {
		return false
	}
	missing, at := 0, 0
	for _, w := range want {
		if i := slices.Index(have[at:], w); i >= 0 {
			at += i + 1
			continue
		}
		if missing++; w == not || isExact(w) {
			return false
		}
	}
	return missing == 0 || missing == 1 && len(want) >= 6
}

// isExact reports whether a word is a number, an option, a name or a path, for which no other
// word has the same meaning.
func isExact(w string) bool {
	return len(w) < 3 || strings.ContainsAny(w, "0123456789_./-+#")
}

// limitedAlike reports whether two sentences have the same numbers of negations and limits.
func limitedAlike(a, b []string) bool {
	denials, conditions := limiting(a)
	d, c := limiting(b)
	return d == denials && c == conditions
}

// limiting counts the words that negate a sentence, and those that limit it.
func limiting(stems []string) (denials, conditions int) {
	for _, s := range stems {
		if s == not {
			denials++
		} else if limits[s] {
			conditions++
		}
	}
	return denials, conditions
}
