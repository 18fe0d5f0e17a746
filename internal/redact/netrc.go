package redact

import "strings"

// netrcPassword returns the password of a netrc entry that begins with the
// word at start to end: machine NAME login NAME password SECRET, on one line
// or several.
func netrcPassword(s string, start, end int) (f span, ok bool) {
	const longest = 512 // bytes of an entry
	if start > 0 && isNameByte(s[start-1]) {
		return f, false
	}
	rest := s[start:min(len(s), end+longest)]
	at := end - start
	next := func() string {
		for at < len(rest) && netrcBlank(rest, at) > 0 {
			at += netrcBlank(rest, at)
		}
		from := at
		for at < len(rest) && netrcBlank(rest, at) == 0 {
			at++
		}
		return rest[from:at]
	}
	// The machine, or the login of default. Prose has neither a host nor lines.
	if name := next(); name == "" || s[start] != 'd' && !strings.ContainsAny(name, ".0123456789") && name != "localhost" &&
		at < len(rest) && rest[at] == ' ' {
		return f, false
	}
	for {
		switch next() {
		case "login", "account":
			next()
		case "password":
			value := next()
			f = span{start + at - len(value), start + at, "password"}
			for f.end > f.start && strings.IndexByte("\"'`,.", s[f.end-1]) >= 0 {
				f.end--
			}
			value = s[f.start:f.end]
			return f, len(value) >= 3 && !isReference(value)
		default:
			return f, false
		}
	}
}

// netrcBlank is the length of the blank at i, which may be a line's end as it
// stands inside a string.
func netrcBlank(s string, i int) int {
	switch {
	case s[i] <= ' ':
		return 1
	case s[i] == '\\' && i+1 < len(s) && strings.IndexByte("nrt", s[i+1]) >= 0:
		return 2
	}
	return 0
}
