package redact

import (
	"strings"
	"unicode"
)

// valueReader reads the values that a text assigns to names. It goes through
// the text once, from left to right.
type valueReader struct {
	s    string
	done int // values before this offset were handled
}

// after returns the secret value assigned to a name with its word at start to
// end.
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
		return v.unassigned(n, from, till)
	}
	f := v.value(a, n.kind)
	if !secretValue(v.s[f.start:f.end], n, a, restOfLine(v.s, f.end)) {
		return span{}, false
	}
	f.end = v.runEnd(f)
	v.done = f.end
	return f, true
}

// assignment describes how a text assigns a value to a name.
type assignment struct {
	value  int    // where the value starts
	quote  string // the quote around the value; empty for none
	tight  bool   // no blank around the separator: NAME=value
	colon  bool   // name: value
	equals bool   // a comparison
	tag    bool   // <name>value
	scheme bool   // Bearer value
}

// assignment parses the text after an identifier at from to till.
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

// quoteAt returns the quote at i, or "". The quote may be escaped, even
// repeatedly, as in JSON within JSON.
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

// skipType skips a type between a name and its value, as in password: str =
// "…".
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

// skipScheme skips the scheme of an Authorization header.
func skipScheme(s string, i int) int {
	for _, scheme := range []string{"Bearer", "Basic", "Token", "Digest", "ApiKey"} {
		if n := i + len(scheme); n < len(s) && s[n] == ' ' && strings.EqualFold(s[i:n], scheme) {
			return skipScheme(s, n+skipBlanks(s, n)) // the scheme may be written twice
		}
	}
	return i
}

// longestValue limits the examined bytes of a value. A longer value that
// is secret extends to the end of its run.
const longestValue = 512

// value returns the bounds of an assigned value, or of its beginning.
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

// runEnd returns the end of a secret value.
func (v *valueReader) runEnd(f span) int {
	i := f.end
	for f.end-f.start >= longestValue && i < len(v.s) && !isBreak(v.s[i]) {
		i++
	}
	return i
}

// endsValue reports whether a byte ends a value without quotes.
func endsValue(c byte, a assignment) bool {
	if a.tag {
		return isBreak(c) || c == '<'
	}
	return valueEnds[c]
}

// valueEnds holds the bytes that end a value without quotes.
var valueEnds = func() (set [256]bool) {
	for c := range set {
		set[c] = isBreak(byte(c)) || strings.IndexByte(",;&)}]<>|", byte(c)) >= 0
	}
	return set
}()

// restOfLine returns the text after i on its line, at most 16 bytes.
func restOfLine(s string, i int) string {
	rest := s[i:min(len(s), i+16)]
	if n := strings.IndexAny(rest, "\r\n"); n >= 0 {
		rest = rest[:n]
	}
	return rest
}

// name is a word that names a secret value next to it.
type name struct {
	word string // lower case
	kind string
	// chosen means that people choose the values, which may be ordinary words;
	// the values of other names are random.
	chosen bool
	// apart means that the word counts only at the beginning of an identifier
	// or of a part of one, because it is so short that other words contain it.
	apart bool
}

// secretNames lists the names of secret values, the extra names last.
func secretNames(extra []string) []name {
	list := []name{
		{word: "password", kind: "password", chosen: true},
		{word: "passwd", kind: "password", chosen: true},
		{word: "passphrase", kind: "password", chosen: true},
		{word: "pwd", kind: "password", chosen: true, apart: true},
		{word: "_pass", kind: "password", chosen: true},
		{word: "secret", kind: "secret", chosen: true},
		{word: "token", kind: "token"},
		{word: "pat", kind: "token", apart: true},
		{word: "auth", kind: "credential", apart: true},
		{word: "authorization", kind: "credential"},
		{word: "bearer", kind: "credential"},
		{word: "credential", kind: "credential"},
		{word: "creds", kind: "credential", apart: true},
	}
	for _, pair := range [][2]string{{"api", "key"}, {"access", "key"}, {"private", "key"}, {"account", "key"},
		{"encryption", "key"}, {"signing", "key"}, {"auth", "key"}, {"connection", "string"}} {
		kind := "key"
		if pair[1] == "string" {
			kind = "connection string"
		}
		for _, glue := range []string{"", "_", "-", " ", "."} {
			list = append(list, name{word: pair[0] + glue + pair[1], kind: kind, apart: pair[0] == "api"})
		}
	}
	for _, e := range extra {
		if e = strings.ToLower(strings.TrimSpace(e)); e != "" {
			list = append(list, name{word: e, kind: "secret", chosen: true})
		}
	}
	return list
}

// aboutWords end the names of things that are not secrets but
// about a secret: token_count, passwordPolicy, SECRET_FILE.
const aboutWords = " id ids name names type types url urls uri path paths file files filename dir folder length len size " +
	"count counts limit limits max min expiry expires expired expiration expire exp at in ttl timeout age policy hint field " +
	"label enabled disabled required optional version alg algorithm method mode provider host server endpoint status state error " +
	"errors manager service store handler helper helpers test tests regex pattern prefix suffix format validator validation usage " +
	"used budget window index kind class scope scopes stdin env var variable ref arn sock socket reset prompt strength rules " +
	"rule check header headers param params input output user username email by for lock middleware flow page route router " +
	"screen form view layout module package config estimate estimated estimator counter per bucket rotation changed updated created "

// identifier returns the bounds of the identifier around a word at start to
// end, and whether it names a secret.
func (n *name) identifier(s string, start, end int) (from, till int, ok bool) {
	const longest = 64 // bytes to either side
	from, till = start, end
	for from > 0 && start-from < longest && isNameByte(s[from-1]) {
		from--
	}
	for till < len(s) && till-end < longest && isNameByte(s[till]) {
		till++
	}
	if n.apart && from < start && isLetter(s[start-1]) && (isUpper(s[start-1]) || !isUpper(s[start])) {
		return from, till, false
	}
	rest := s[end:till]
	// A dot or dash that ends a sentence or a list does not belong to the name.
	for rest != "" && strings.IndexByte(".-", rest[len(rest)-1]) >= 0 {
		rest, till = rest[:len(rest)-1], till-1
	}
	if rest == "" {
		return from, till, true
	}
	if rest[0]|0x20 == 's' && (len(rest) == 1 || !isLetter(rest[1])) {
		rest = rest[1:] // plural
	} else if isLetter(rest[0]) && (!isUpper(rest[0]) || isUpper(s[end-1])) {
		return from, till, false // another word: tokenizer, author
	}
	return from, till, !strings.Contains(aboutWords, " "+lastPart(rest)+" ")
}

// lastPart returns the last part of an identifier in snake, kebab or camel
// case, in lower case and without digits at its end.
func lastPart(s string) string {
	s = strings.TrimRight(s, "0123456789_-.")
	if i := strings.LastIndexAny(s, "_-."); i >= 0 {
		s = s[i+1:]
	}
	if i := strings.LastIndexFunc(s, unicode.IsUpper); i > 0 && i < len(s)-1 && !isUpper(s[i+1]) {
		s = s[i:]
	}
	return strings.ToLower(s)
}
