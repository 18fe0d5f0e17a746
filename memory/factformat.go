package memory

import (
	"strconv"
	"strings"
)

// FormatFact writes a fact as one bullet with its newline: the first line of
// its text, what else is known of it as a comment, and later lines indented.
func FormatFact(f Fact) string {
	f = f.Normal()
	text := escapeText(f.Text, place{start: true})
	first, rest, more := strings.Cut(text, "\n")
	var b strings.Builder
	b.WriteByte('-')
	if first != "" {
		b.WriteString(" " + first)
	}
	if c := factComment(f); c != "" {
		b.WriteString(" " + c)
	}
	b.WriteByte('\n')
	if more {
		b.WriteString(rest + "\n")
	}
	return b.String()
}

func factComment(f Fact) string {
	var w commentWriter
	w.value("id", f.ID)
	w.value("type", string(f.Type))
	if f.Importance != 0 {
		w.value("importance", strconv.FormatFloat(f.Importance, 'g', -1, 64))
	}
	w.list("tags", f.Tags)
	w.value("key", f.Key)
	w.value("supersedes", f.Supersedes)
	w.value("source", f.Source)
	w.value("commit", f.Commit)
	if w.b.Len() == 0 {
		return ""
	}
	return commentOpen + w.b.String() + commentClose
}

// factFields reports whether a comment is one of a fact's: keys that people
// added are let pass when the fact has its id.
func factFields(f fields) bool {
	if f["id"] != "" {
		return true
	}
	for key := range f {
		switch key {
		case "type", "importance", "tags", "key", "supersedes", "source", "commit":
		default:
			return false
		}
	}
	return true
}

// factOf builds a fact from its comment and its text.
func factOf(f fields, text string) Fact {
	importance, err := strconv.ParseFloat(f.value("importance"), 64)
	if err != nil {
		importance = 0
	}
	return Fact{
		ID: f.value("id"), Type: FactType(f.value("type")), Importance: importance, Tags: f.list("tags"),
		Key: f.value("key"), Supersedes: f.value("supersedes"), Source: f.value("source"), Commit: f.value("commit"),
		Text: text,
	}.Normal()
}
