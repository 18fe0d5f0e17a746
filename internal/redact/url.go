package redact

import "strings"

// urlPassword returns the password in a URL whose "://" is at start to end:
// in scheme://user:password@host all between the first ':' and the last '@'
// before the host. A password may hold characters that a URL should not.
func urlPassword(s string, start, end int) (f span, ok bool) {
	const longest = 512 // bytes of user and password
	if start == 0 || !isLetter(s[start-1]) && !isDigit(s[start-1]) {
		return f, false
	}
	run := end
	for run < len(s) && run-end < longest && !isBreak(s[run]) && s[run] != '<' && s[run] != '>' {
		run++
	}
	text := s[end:run]
	if i := strings.Index(text, "://"); i >= 0 {
		text = text[:i] // the next URL
	}
	authority := text
	if i := strings.IndexAny(text, "/?#"); i >= 0 {
		authority = text[:i]
	}
	at := strings.LastIndexByte(authority, '@')
	colon := strings.IndexByte(authority, ':')
	if colon >= 0 && !isPort(authority[colon+1:]) && !isHost(authority[at+1:]) {
		at = max(at, strings.LastIndexByte(text, '@')) // the password holds a slash
	}
	if at < 0 {
		return f, false
	}
	if colon < 0 || colon > at {
		// The user alone may be a token, as in https://TOKEN@host.
		if user := text[:at]; len(user) >= 20 && strings.ContainsAny(user, "0123456789") && !isReference(user) {
			return span{end, end + at, "token"}, true
		}
		return f, false
	}
	if pass := text[colon+1 : at]; pass == "" || isReference(pass) {
		return f, false
	}
	return span{end + colon + 1, end + at, "password"}, true
}

// isHost says whether s can only be a host, if it is one at all.
func isHost(s string) bool {
	return !strings.Contains(s, "@") && (s == "localhost" || strings.ContainsAny(s, ".["))
}

func isPort(s string) bool {
	if s == "" || len(s) > 5 {
		return false
	}
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return true
}
