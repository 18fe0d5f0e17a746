package redact

import "strings"

// cookieAttributes are what a Set-Cookie header says of a cookie.
const cookieAttributes = " path domain expires max-age samesite version priority comment "

// cookieValues returns the values of the cookies that the word at start to end
// announces, as in Cookie: a=b; c=d, and where they end.
func cookieValues(s string, start, end int) (found []span, till int) {
	const longest = 8 << 10 // bytes of a header
	i := end
	flag := start >= 2 && s[start-2:start] == "--"
	for i < len(s) && i-end < 4 && strings.IndexByte(`"'\]`, s[i]) >= 0 {
		i++
	}
	blanks := skipBlanks(s, i)
	sep := separatorAt(s, i+blanks)
	if sep != ":" && sep != "=" && sep != ":=" && !(flag && i == end && blanks == 1) {
		return nil, end
	}
	i += blanks + len(sep)
	i += skipBlanks(s, i)
	i += len(quoteAt(s, i))
	till = min(len(s), i+longest)
	if n := strings.IndexAny(s[i:till], "\r\n\"'`\\<>{}"); n >= 0 {
		till = i + n
	}
	for part := range strings.SplitAfterSeq(s[i:till], ";") {
		if f, ok := cookieValue(s, i, i+len(strings.TrimRight(part, "; "))); ok {
			found = append(found, f)
		}
		i += len(part)
	}
	return found, till
}

// cookieValue returns the value of the cookie at from to till, unless it is a
// setting: a short one, or a word.
func cookieValue(s string, from, till int) (f span, ok bool) {
	const least = 8 // bytes
	name, value, _ := strings.Cut(s[from:till], "=")
	name = strings.ToLower(strings.TrimSpace(name))
	if len(value) < least || strings.ContainsAny(name, " :(),") || strings.Contains(cookieAttributes, " "+name+" ") ||
		strings.Contains(value, " ") || isReference(value) || !isRandom(value) {
		return f, false
	}
	return span{till - len(value), till, "cookie"}, true
}
