package outline

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"agentflow/memory"
)

// front holds the properties that the front matter of a file states for all its hand-written text.
type front struct {
	title       string
	tags        []string
	date        time.Time
	description string
	rule        bool     // it is an agent's rule, which the description is about
	files       []string // patterns of the files that the rule applies to
	always      bool     // the rule applies to every file, in spite of files
}

// scope returns the scope of an agent's rule.
func (f *front) scope() (list []string) {
	if !f.rule {
		return nil
	}
	if f.title == "" && !Plain(f.description) {
		list = append(list, f.description)
	}
	if len(f.files) > 0 {
		list = append(list, "In `"+strings.Join(f.files, "`, `")+"`")
	}
	return list
}

// Paths returns the patterns of the files that all text is about, according to the front matter. It
// returns none if one of them cannot be read.
func (r *Reader) Paths() []string {
	if r.front.always || memory.CheckPaths(r.front.files) != nil {
		return nil
	}
	return r.front.files
}

// Bounds of front matter: the number of lines, and the bytes of a line.
const (
	maxFrontLines = 100
	maxFrontLine  = 1000
)

// readFront reads the front matter that memory uses: the title, the date, and the tags, as a list
// in one line or in several. Front matter is between two lines --- (the second may be ...). Every
// line in it is a key with its value, an indented item of a list, a comment or blank. Any other
// line means that there is no front matter. end is the line after it, or from if there is none.
func readFront(l Lines, from, to int) (f front, end int) {
	if from == to || !IsEnd(strings.TrimPrefix(l.Line(from), byteOrderMark)) {
		return front{}, from
	}
	key, keys := "", 0
	for i := from + 1; i < to && i < from+maxFrontLines; i++ {
		line := l.Line(i)
		if IsEnd(line) || strings.TrimRight(line, " \t") == "..." {
			if keys == 0 {
				return front{}, from
			}
			return f, i + 1
		}
		if len(line) > maxFrontLine {
			return front{}, from
		}
		trimmed := strings.TrimSpace(line)
		item, isItem := strings.CutPrefix(trimmed, "- ")
		name, value, isKey := frontKey(line)
		switch {
		case isKey:
			key, keys = name, keys+1
			f.take(key, value)
		case isItem && key != "":
			f.take(key, item)
		case trimmed != "" && trimmed[0] != '#' && (key == "" || trimmed[0] == line[0]):
			return front{}, from
		}
	}
	return front{}, from
}

// frontKey reads "key: value" at the start of a line.
func frontKey(line string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(line, ":")
	if !ok || key == "" || value != "" && value[0] != ' ' && value[0] != '\t' {
		return "", "", false
	}
	for i := range len(key) {
		if c := key[i]; !asciiWord(c) && c != '-' {
			return "", "", false
		}
	}
	return strings.ToLower(key), strings.TrimSpace(value), true
}

func (f *front) take(key, value string) {
	switch key {
	case "title":
		if f.title == "" {
			f.title = unquoted(value)
		}
	case "tags", "tag":
		f.tags = addTags(f.tags, value)
	case "description":
		f.description = unquoted(value)
	case "globs", "paths", "applyto":
		f.rule, f.files = true, addPatterns(f.files, value)
	case "alwaysapply":
		f.rule, f.always = true, strings.EqualFold(unquoted(value), "true")
	case "date":
		if t, ok := dateIn(unquoted(value)); ok && f.date.IsZero() {
			f.date = t
		}
	}
}

// addPatterns adds the patterns of a list such as "a/**, *.{ts,tsx}" or "[a/**]".
func addPatterns(patterns []string, value string) []string {
	value = unquoted(value)
	if inside, ok := strings.CutPrefix(value, "["); ok && strings.HasSuffix(inside, "]") {
		value = strings.TrimSuffix(inside, "]")
	}
	for _, p := range memory.SplitList(value) {
		if p = bare(p); utf8.ValidString(p) && !strings.ContainsFunc(p, unicode.IsControl) {
			patterns = addOnce(patterns, p)
		}
	}
	return patterns
}

// unquoted removes the quotes around a value. Escapes inside stay.
func unquoted(s string) string {
	if len(s) > 1 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}
