package markdown

import (
	"slices"
	"strings"
	"time"

	"agentflow/memory"
)

// trailingComment splits a fact's comment from the end of a line.
func trailingComment(line string) (text string, f fields, ok bool) {
	line = strings.TrimRight(line, " \t")
	inside, ok := strings.CutSuffix(line, commentClose)
	if !ok {
		return "", nil, false
	}
	at := strings.LastIndex(inside, commentOpen)
	if at < 0 || at > 0 && inside[at-1] == '\\' {
		return "", nil, false
	}
	f, ok = readFields(inside[at+len(commentOpen):])
	if !ok || !factFields(f) {
		return "", nil, false
	}
	return strings.TrimRight(line[:at], " \t"), f, true
}

// WithoutComment returns a line without the comment of a fact at its end.
func WithoutComment(line string) string {
	if text, _, ok := trailingComment(line); ok {
		return text
	}
	return line
}

// ReadableLine returns a line without the comment of an entry or of a fact, and the id of the fact.
// entry says that the line was only the comment of an entry.
func ReadableLine(line string) (text, fact string, entry bool) {
	if _, ok := entryComment(line); ok {
		return "", "", true
	}
	if text, f, ok := trailingComment(line); ok {
		return text, f.value("id"), false
	}
	return line, "", false
}

// factPairs returns the place of the pairs in a bullet's comment, or 0, 0 if it has no comment.
func factPairs(bullet string) (from, to int) {
	return pairsOf(bullet, factComments)
}

// factComments reads the comment at the end of a line as that of a fact.
func factComments(line string) (fields, bool) {
	_, f, ok := trailingComment(line)
	return f, ok
}

// factKeys lists a fact comment's keys in the order Format writes them.
var factKeys = []string{"id", "type", "importance", "confidence", "tags", "category", "key", "ns", "paths", "supersedes", "by",
	"merged", "source", "agent", "session", "person", "said", "edited", "reason", "commit", "created", "updated", "expires"}

func factComment(f memory.Fact) string {
	var w commentWriter
	w.value("id", f.ID)
	w.value("type", string(f.Type))
	w.share("importance", f.Importance)
	w.share("confidence", f.Confidence)
	w.list("tags", f.Tags)
	w.value("category", f.Category)
	w.value("key", f.Key)
	w.value("ns", f.Namespace)
	w.list("paths", f.Paths)
	w.value("supersedes", f.Supersedes)
	w.value("by", f.SupersededBy)
	merged := make([]string, len(f.Merged))
	for i, o := range f.Merged {
		merged[i] = formatOrigin(o)
	}
	w.list("merged", merged)
	w.value("source", f.Source)
	w.value("agent", f.Agent)
	w.value("session", f.Session)
	w.value("person", f.Person)
	w.value("said", f.Said)
	w.value("edited", f.Edited)
	w.value("reason", f.Reason)
	w.value("commit", f.Commit)
	w.time("created", f.Created)
	w.time("updated", f.Updated)
	w.time("expires", f.Expires)
	if w.b.Len() == 0 {
		return ""
	}
	return commentOpen + w.b.String() + commentClose
}

// originEscapes escapes the separator in the parts of an origin.
var originEscapes = strings.NewReplacer("%", "%25", "/", "%2F")

// formatOrigin writes an origin as its id, source, commit and creation, with '/' between them and
// nothing after the last known one.
func formatOrigin(o memory.Origin) string {
	created := ""
	if !o.Created.IsZero() {
		created = o.Created.Format(time.RFC3339)
	}
	parts := []string{o.ID, o.Source, o.Commit, created}
	for i, p := range parts {
		parts[i] = originEscapes.Replace(p)
	}
	return strings.TrimRight(strings.Join(parts, "/"), "/")
}

func parseOrigin(s string) memory.Origin {
	var parts [4]string
	for i, p := range strings.SplitN(s, "/", len(parts)) {
		parts[i] = decodeValue(p)
	}
	return memory.Origin{ID: parts[0], Source: parts[1], Commit: parts[2], Created: commentTime(parts[3], false)}
}

// factFields reports whether a comment is that of a fact. If it has an id, people may have added
// other keys.
func factFields(f fields) bool {
	if f["id"] != "" {
		return true
	}
	for key := range f {
		if !slices.Contains(factKeys, key) {
			return false
		}
	}
	return true
}
