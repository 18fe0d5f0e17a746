package memory

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// FormatFact writes a fact as one bullet with its newline: the first line of
// its text, what else is known of it as a comment, and later lines indented.
func FormatFact(f Fact) string {
	f = f.Normal()
	text := strike(escapeText(f.Text, place{start: true}), f.Struck)
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

// factKeys are the keys of a fact's comment in the order Format writes them.
var factKeys = []string{"id", "type", "importance", "confidence", "tags", "category", "key", "ns", "supersedes", "by",
	"merged", "source", "commit", "created", "updated", "expires"}

// keysAfter are those that stand behind key.
func keysAfter(key string) []string { return factKeys[slices.Index(factKeys, key)+1:] }

func factComment(f Fact) string {
	var w commentWriter
	w.value("id", f.ID)
	w.value("type", string(f.Type))
	w.share("importance", f.Importance)
	w.share("confidence", f.Confidence)
	w.list("tags", f.Tags)
	w.value("category", f.Category)
	w.value("key", f.Key)
	w.value("ns", f.Namespace)
	w.value("supersedes", f.Supersedes)
	w.value("by", f.SupersededBy)
	merged := make([]string, len(f.Merged))
	for i, o := range f.Merged {
		merged[i] = formatOrigin(o)
	}
	w.list("merged", merged)
	w.value("source", f.Source)
	w.value("commit", f.Commit)
	w.time("created", f.Created)
	w.time("updated", f.Updated)
	w.time("expires", f.Expires)
	if w.b.Len() == 0 {
		return ""
	}
	return commentOpen + w.b.String() + commentClose
}

// share leaves 0 out.
func (w *commentWriter) share(key string, x float64) {
	if x != 0 {
		w.value(key, strconv.FormatFloat(x, 'g', -1, 64))
	}
}

// time leaves the zero time out.
func (w *commentWriter) time(key string, t time.Time) {
	if !t.IsZero() {
		w.value(key, t.Format(time.RFC3339))
	}
}

// originEscapes keep the parts of an origin apart.
var originEscapes = strings.NewReplacer("%", "%25", "/", "%2F")

// An origin is its id, source, commit and creation, with '/' between them and
// nothing after the last that is known.
func formatOrigin(o Origin) string {
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

func parseOrigin(s string) Origin {
	var parts [4]string
	for i, p := range strings.SplitN(s, "/", len(parts)) {
		parts[i] = decodeValue(p)
	}
	return Origin{parts[0], parts[1], parts[2], commentTime(parts[3], false)}
}

// factFields reports whether a comment is one of a fact's: keys that people
// added are let pass when the fact has its id.
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

// factOf builds a fact from its comment and its text.
func factOf(f fields, text string, struck bool) Fact {
	var merged []Origin
	for _, o := range f.list("merged") {
		merged = append(merged, parseOrigin(o))
	}
	return Fact{
		ID: f.value("id"), Type: FactType(f.value("type")), Importance: f.share("importance"), Confidence: f.share("confidence"),
		Tags: f.list("tags"), Category: f.value("category"), Key: f.value("key"), Namespace: f.value("ns"),
		Supersedes: f.value("supersedes"), Struck: struck, SupersededBy: f.value("by"), Merged: merged,
		Source: f.value("source"), Commit: f.value("commit"),
		Created: commentTime(f.value("created"), false), Updated: commentTime(f.value("updated"), false),
		Expires: commentTime(f.value("expires"), true), Text: text,
	}.Normal()
}

func (f fields) share(key string) float64 {
	x, err := strconv.ParseFloat(f.value(key), 64)
	if err != nil {
		return 0
	}
	return x
}

// commentTime reads a time, or a date as people write it: the day's
// beginning, or its end, in UTC. What is neither is the zero time.
func commentTime(s string, end bool) time.Time {
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t
	}
	t, err := time.Parse(time.DateOnly, s)
	if err == nil && end {
		t = t.AddDate(0, 0, 1)
	}
	return t
}
