package redact

import "strings"

// valueReader reads the values that names are given in a text. It goes
// through the text once, from the left.
type valueReader struct {
	s    string
	done int // no value before this is looked at again
}

// after returns the secret value given to a name whose word stands at start
// to end.
func (v *valueReader) after(n *name, start, end int) (span, bool) {
	if start < v.done {
		return span{}, false
	}
	from, till, ok := n.identifier(v.s, start, end)
	if !ok {
		return span{}, false
	}
	a, ok := v.assignment(from, till)
	if !ok {
		return v.elsewhere(n, from, till)
	}
	f := v.value(a, n.kind)
	if !secretValue(v.s[f.start:f.end], n, a, restOfLine(v.s, f.end)) {
		return span{}, false
	}
	f.end = v.runEnd(f)
	v.done = f.end
	return f, true
}

// assignment is how a value is given to a name.
type assignment struct {
	value  int    // where it starts
	quote  string // what it stands between; empty for none
	tight  bool   // no blank around the separator: NAME=value
	colon  bool   // name: value
	equals bool   // a comparison
	tag    bool   // <name>value
	scheme bool   // Bearer value
}

// assignment reads what stands after an identifier at from to till.
func (v *valueReader) assignment(from, till int) (a assignment, ok bool) {
	s, i := v.s, till
	flag := from >= 2 && s[from-2:from] == "--" || strings.HasPrefix(s[from:till], "--")
	i += len(quoteAt(s, i))
	for i < len(s) && i-till < 4 && (s[i] == ']' || s[i] == '*') {
		i++
	}
	blanks := skipBlanks(s, i)
	sep := separatorAt(s, i+blanks)
	switch {
	case sep == "" && flag && i == till && blanks == 1:
		i++ // --password value
		a.tight = true
	case sep == "":
		return a, false
	case sep == ">":
		if from == 0 || s[from-1] != '<' {
			return a, false
		}
		a.tag, a.tight = true, true
		i += blanks + 1
	default:
		i += blanks + len(sep)
		after := skipBlanks(s, i)
		a.tight = blanks+after == 0
		a.colon = sep == ":"
		a.equals = strings.HasSuffix(sep, "==") || sep == "!="
		i += after
		if a.colon {
			i = skipType(s, i)
		}
	}
	for i < len(s) && s[i] == '*' && i-till < 24 {
		i++ // **Password:** value
	}
	i += skipBlanks(s, i)
	a.quote = quoteAt(s, i)
	i += len(a.quote)
	a.value = skipScheme(s, i)
	a.scheme = a.value > i
	return a, a.value < len(s)
}

// separatorAt returns the separator at i, or "".
func separatorAt(s string, i int) string {
	rest := s[min(i, len(s)):min(i+3, len(s))]
	for _, sep := range []string{"===", "!==", "==", "!=", "=>", ":=", "=", ":", ">"} {
		if strings.HasPrefix(rest, sep) {
			if sep == ":" && (strings.HasPrefix(rest, "::") || strings.HasPrefix(rest, "://")) {
				return ""
			}
			return sep
		}
	}
	return ""
}

// quoteAt returns the quote at i, or "": plain, or escaped as in JSON that
// stands inside JSON, also more than once.
func quoteAt(s string, i int) string {
	const most = 7 // backslashes
	end := i
	for end < len(s) && end-i < most && s[end] == '\\' {
		end++
	}
	if end >= len(s) || !isQuote(s[end]) || s[end] == '`' && end > i {
		return ""
	}
	return s[i : end+1]
}

func skipBlanks(s string, i int) int {
	n := 0
	for i+n < len(s) && n < 8 && (s[i+n] == ' ' || s[i+n] == '\t') {
		n++
	}
	return n
}

// skipType steps over a type that stands between a name and its value:
// password: str = "…".
func skipType(s string, i int) int {
	j := i
	for j < len(s) && j-i < 32 && (isWord(s[j]) || s[j] == '&' || s[j] == '[' || s[j] == ']') {
		j++
	}
	blanks := skipBlanks(s, j)
	if j == i || blanks == 0 || separatorAt(s, j+blanks) != "=" {
		return i
	}
	j += blanks + 1
	return j + skipBlanks(s, j)
}

// skipScheme steps over the scheme of an Authorization header.
func skipScheme(s string, i int) int {
	for _, scheme := range []string{"Bearer", "Basic", "Token", "Digest", "ApiKey"} {
		if n := i + len(scheme); n < len(s) && s[n] == ' ' && strings.EqualFold(s[i:n], scheme) {
			return n + skipBlanks(s, n)
		}
	}
	return i
}

// longestValue is how many bytes of a value are looked at. A longer one that
// is secret goes on as long as its run does.
const longestValue = 512

// value returns the bounds of an assignment's value, or of its beginning.
func (v *valueReader) value(a assignment, kind string) span {
	s, i := v.s, a.value
	for ; i < len(s) && i-a.value < longestValue && s[i] != '\n' && s[i] != '\r'; i++ {
		if a.quote != "" {
			if strings.HasPrefix(s[i:], a.quote) {
				return span{a.value, i, kind}
			}
			if s[i] == '\\' && len(a.quote) == 1 && i+1 < len(s) && s[i+1] != '\n' {
				i++
			}
			continue
		}
		if endsValue(s[i], a) {
			return span{a.value, i, kind}
		}
	}
	return span{a.value, min(i, len(s)), kind}
}

// runEnd is where a secret value ends.
func (v *valueReader) runEnd(f span) int {
	i := f.end
	for f.end-f.start >= longestValue && i < len(v.s) && !isBreak(v.s[i]) {
		i++
	}
	return i
}

// endsValue says whether a byte ends a value without quotes.
func endsValue(c byte, a assignment) bool {
	switch {
	case isBreak(c):
		return true
	case a.tag:
		return c == '<'
	}
	return strings.IndexByte(",;&)}]<>|", c) >= 0
}

// restOfLine returns what stands after i on its line, at most 16 bytes.
func restOfLine(s string, i int) string {
	rest := s[i:min(len(s), i+16)]
	if n := strings.IndexAny(rest, "\r\n"); n >= 0 {
		rest = rest[:n]
	}
	return rest
}
