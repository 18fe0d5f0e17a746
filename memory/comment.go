package memory

import "strings"

// Comments carry what people do not read: <!-- key=value key=value -->.
// Values are percent-encoded outside [A-Za-z0-9._:/+,-] and never hold "--",
// so that a comment can neither be closed from inside nor be invalid HTML.

const (
	commentOpen  = "<!-- "
	commentClose = "-->"
	entryMark    = "agentflow v="
)

// encodeValue percent-encodes s; commas too when they separate a list.
func encodeValue(s string, comma bool) string {
	var b strings.Builder
	b.Grow(len(s))
	var last byte
	for i := range len(s) {
		c := s[i]
		plain := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
			c == '.' || c == '_' || c == ':' || c == '/' || c == '+' ||
			c == ',' && !comma || c == '-' && last != '-'
		if !plain {
			b.WriteByte('%')
			b.WriteByte(hexDigits[c>>4])
			c = hexDigits[c&15]
		}
		b.WriteByte(c)
		last = c
	}
	return b.String()
}

// decodeValue is the inverse of encodeValue; a stray % stands for itself.
func decodeValue(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && isHex(s, i+1) && isHex(s, i+2) {
			b.WriteByte(unhex(s[i+1])<<4 | unhex(s[i+2]))
			i += 2
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// commentWriter collects key=value pairs in order.
type commentWriter struct{ b strings.Builder }

func (w *commentWriter) pair(key, encoded string) {
	w.b.WriteString(key)
	w.b.WriteByte('=')
	w.b.WriteString(encoded)
	w.b.WriteByte(' ')
}

// value leaves empty values out.
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

func encodeList(values []string) string {
	enc := make([]string, len(values))
	for i, v := range values {
		enc[i] = encodeValue(v, true)
	}
	return strings.Join(enc, ",")
}

// fields are the pairs of a comment, values still encoded.
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

// readFields splits the inside of a comment. All of it must be pairs; the
// first of two equal keys counts.
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

// entryComment reads the line that makes a stretch of a file an entry.
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
