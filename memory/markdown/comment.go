package markdown

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"agentflow/memory"
	"agentflow/memory/internal/outline"
)

// Comments hold the data that people do not read: <!-- key=value key=value -->. Values are
// percent-encoded outside [A-Za-z0-9._:/+,-] and never hold "--", so that a comment can neither be
// closed from inside nor be invalid HTML.

const (
	commentOpen  = "<!-- "
	commentClose = "-->"
	entryMark    = "agentflow v="
)

// encodeValue percent-encodes s. If comma is true it encodes commas too, because they separate the
// values of a list.
func encodeValue(s string, comma bool) string {
	var b strings.Builder
	b.Grow(len(s))
	var last byte
	for i := range len(s) {
		c := s[i]
		plain := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
			c == '.' || c == '_' || c == ':' || c == '/' || c == '+' ||
			c == ',' && !comma || c == '-' && last != '-'
		if last = 0; plain {
			last = c
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// decodeValue reverses encodeValue. A % that is not part of an escape stays.
func decodeValue(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' {
			if x, ok := hexByte(s[i+1:]); ok {
				c = x
				i += 2
			}
		}
		b.WriteByte(c)
	}
	return b.String()
}

type commentWriter struct{ b strings.Builder }

func (w *commentWriter) pair(key, encoded string) {
	w.b.WriteString(key)
	w.b.WriteByte('=')
	w.b.WriteString(encoded)
	w.b.WriteByte(' ')
}

// value writes a pair, unless the value is empty.
func (w *commentWriter) value(key, value string) {
	if value != "" {
		w.pair(key, encodeValue(value, false))
	}
}

// list writes nothing for no values, and "key=" for one empty value.
func (w *commentWriter) list(key string, values []string) {
	if len(values) > 0 {
		w.pair(key, encodeList(values))
	}
}

// share writes a number, unless it is 0.
func (w *commentWriter) share(key string, x float64) {
	if x != 0 {
		w.value(key, strconv.FormatFloat(x, 'g', -1, 64))
	}
}

// time writes a time, unless it is zero.
func (w *commentWriter) time(key string, t time.Time) {
	if !t.IsZero() {
		w.value(key, t.Format(time.RFC3339))
	}
}

func encodeList(values []string) string {
	enc := make([]string, len(values))
	for i, v := range values {
		enc[i] = encodeValue(v, true)
	}
	return strings.Join(enc, ",")
}

// fields holds the pairs of a comment. The values are still encoded.
type fields map[string]string

func (f fields) value(key string) string { return decodeValue(f[key]) }

func (f fields) list(key string) []string {
	raw, ok := f[key]
	if !ok {
		return nil
	}
	values := strings.Split(raw, ",")
	for i, v := range values {
		values[i] = decodeValue(v)
	}
	return values
}

func (f fields) share(key string) float64 {
	x, err := strconv.ParseFloat(f.value(key), 64)
	if err != nil {
		return 0
	}
	return x
}

// readFields splits the inside of a comment. It must consist of pairs. If a key occurs twice, the
// first one counts.
func readFields(inside string) (fields, bool) {
	words := strings.Fields(inside)
	f := make(fields, len(words))
	for _, w := range words {
		key, value, ok := strings.Cut(w, "=")
		if !ok || key == "" {
			return nil, false
		}
		if _, twice := f[key]; !twice {
			f[key] = value
		}
	}
	return f, len(f) > 0
}

// entryComment reads the comment line that makes a stretch of a file an entry.
func entryComment(line string) (fields, bool) {
	rest, ok := strings.CutPrefix(line, commentOpen+entryMark)
	if !ok {
		return nil, false
	}
	rest, ok = strings.CutSuffix(strings.TrimRight(rest, " \t"), commentClose)
	if !ok || rest == "" || rest[0] < '0' || rest[0] > '9' || strings.Contains(rest, commentClose) {
		return nil, false
	}
	return readFields("v=" + rest)
}

// pairsOf returns the place of the pairs in the first line that comment accepts, or 0, 0 if there
// is none.
func pairsOf(text string, comment func(line string) (fields, bool)) (from, to int) {
	l := outline.Split([]byte(text))
	for i := range l.Count() {
		line := strings.TrimRight(l.Line(i), " \t")
		if _, ok := comment(line); ok {
			return l.Start[i] + strings.LastIndex(line, commentOpen) + len(commentOpen), l.Start[i] + len(line) - len(commentClose)
		}
	}
	return 0, 0
}

// setPair sets key to an encoded value among the pairs of a comment, or removes it if the value is
// empty. A new pair goes before the first of the keys in before, or else to the end, where Format
// puts it.
func setPair(pairs, key, value string, before ...string) string {
	var b strings.Builder
	put := func() {
		if value != "" {
			b.WriteString(key + "=" + value + " ")
			value = ""
		}
	}
	for _, word := range strings.Fields(pairs) {
		name, _, _ := strings.Cut(word, "=")
		if name == key || slices.Contains(before, name) {
			put()
		}
		if name != key {
			b.WriteString(word + " ")
		}
	}
	put()
	return b.String()
}

// commentTime reads a time, or a date as people write it. A date means the beginning of the day, or
// with end its end, in UTC. Any other text gives the zero time.
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

func timeOf(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}
	}
	return memory.FileTime(t)
}
