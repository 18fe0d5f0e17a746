package redact

import "strings"

// shapedToken describes tokens with a unique prefix. gitleaks knows most such
// tokens; it does not know these, or only next to the name of their service.
type shapedToken struct {
	prefix string // letter case counts
	kind   string
	marks  string // allowed characters besides letters and digits
	least  int    // minimum number of bytes after the prefix
	bare   bool   // the prefix is a name and not part of the secret
}

var tokens = []shapedToken{
	{prefix: "sk-ant-", kind: "anthropic-api-key", marks: "_-", least: 20},
	{prefix: "dckr_pat_", kind: "docker-access-token", marks: "_-", least: 16},
	{prefix: "dckr_oat_", kind: "docker-access-token", marks: "_-", least: 16},
	{prefix: "EAA", kind: "facebook-access-token", least: 60},
	{prefix: "NRAK-", kind: "new-relic-key", least: 20},
	{prefix: "NRJS-", kind: "new-relic-key", least: 16},
	{prefix: "NRII-", kind: "new-relic-key", marks: "_-", least: 20},
	{prefix: "ATATT3", kind: "atlassian-api-token", marks: "_-=", least: 20},
	{prefix: "ATCTT3", kind: "atlassian-api-token", marks: "_-=", least: 20},
	{prefix: "ATBB", kind: "atlassian-api-token", least: 24},
	{prefix: "sig=", kind: "signature", marks: "%+/=_-", least: 20, bare: true},
	{prefix: "X-Amz-Signature=", kind: "signature", least: 20, bare: true},
	{prefix: "X-Goog-Signature=", kind: "signature", least: 20, bare: true},
}

// at returns the token with its prefix, in any letter case, at start to end. It
// has digits, and is not part of a longer word.
func (t *shapedToken) at(s string, start, end int) (f span, ok bool) {
	if s[start:end] != t.prefix || start > 0 && t.isContinuation(s, start) {
		return f, false
	}
	till, digits := end, false
	for till < len(s) && (isDigit(s[till]) || isLetter(s[till]) || strings.IndexByte(t.marks, s[till]) >= 0) {
		digits = digits || isDigit(s[till])
		till++
	}
	if till-end < t.least || !digits || till < len(s) && strings.IndexByte("+/", s[till]) >= 0 {
		return f, false
	}
	if t.bare {
		start = end
	}
	return span{start, till, t.kind}, true
}

// isContinuation reports whether the prefix at start continues a longer word.
func (t *shapedToken) isContinuation(s string, start int) bool {
	const and = `\u0026` // & as some write it in JSON
	if t.bare {
		return isWord(s[start-1]) && !strings.HasSuffix(s[:start], and)
	}
	return isWord(s[start-1]) || strings.IndexByte("+/", s[start-1]) >= 0
}

// appToken returns the token of a Facebook app around the bar at start to end:
// the number of the app and its secret.
func appToken(s string, start, end int) (f span, ok bool) {
	from, till := start, end
	for from > 0 && start-from < 17 && isDigit(s[from-1]) {
		from--
	}
	for till < len(s) && till-end < 41 && (isWord(s[till]) || s[till] == '-') {
		till++
	}
	number, secret := start-from, s[end:till]
	if number != 15 && number != 16 || from > 0 && isWord(s[from-1]) || len(secret) < 27 || len(secret) > 40 || !isRandom(secret) {
		return f, false
	}
	return span{from, till, "facebook-access-token"}, true
}

// bearerToken returns the token after the scheme at start to end, as in "the
// header is Bearer TOKEN".
func bearerToken(s string, start, end int) (f span, ok bool) {
	const least = 16 // bytes: shorter ones need a name
	from := end + skipBlanks(s, end)
	if from == end || start > 0 && isWord(s[start-1]) {
		return f, false
	}
	v := valueReader{s: s}
	f = v.value(assignment{value: from}, "credential")
	for f.end > f.start && strings.IndexByte(".,:!?*\"'`", s[f.end-1]) >= 0 {
		f.end--
	}
	value := s[f.start:f.end]
	if len(value) < least || strings.ContainsAny(strings.TrimRight(value, "="), "\"'=:") || isCode(value) || !isGivenValue(value, assignment{}) {
		return f, false
	}
	f.end = v.runEnd(f)
	return f, true
}

// pemWord occurs in every marker of a private key.
const pemWord = "private key"

// pemMark is a line such as "-----BEGIN RSA PRIVATE KEY-----".
type pemMark struct {
	start, end int
	begin      bool
	quoted     bool // the only text between quotes: code that looks for keys
}

// pemMarkAt returns the marker around pemWord at start to end. If a text is cut
// within the dashes of a marker, the rest still counts as one.
func pemMarkAt(s string, start, end int) (m pemMark, ok bool) {
	const longest = 112 // bytes before the word
	from := max(0, start-longest)
	before := strings.ToUpper(s[from:start])
	if len(before) != start-from {
		return m, false // not ASCII
	}
	begin, finish := strings.LastIndex(before, "-----BEGIN"), strings.LastIndex(before, "-----END")
	if begin < 0 && finish < 0 && from == 0 {
		if cut := strings.TrimLeft(before, "-"); strings.HasPrefix(cut, "BEGIN") {
			begin = 0
		} else if strings.HasPrefix(cut, "END") {
			finish = 0
		}
	}
	at := max(begin, finish)
	if at < 0 || strings.Trim(before[at:], "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_ -") != "" {
		return m, false
	}
	m.begin, m.start, m.end = begin > finish, from+at, end
	if rest := s[end:]; len(rest) >= 6 && strings.EqualFold(rest[:6], " BLOCK") {
		m.end += 6
	}
	dashes := m.end
	for m.end < len(s) && m.end-dashes < 5 && s[m.end] == '-' {
		m.end++
	}
	if m.end-dashes < 5 && m.end < len(s) {
		return m, false
	}
	m.quoted = m.start > 0 && isQuote(s[m.start-1]) && m.end < len(s) && isQuote(s[m.end])
	return m, true
}

// keySpans returns the private keys between markers, which are in order. A key
// without an end extends to the end of the text. A key without a beginning
// starts at the start of the text, or at the end of the key before it.
func keySpans(s string, marks []pemMark) []span {
	var found []span
	open, last := -1, 0
	for _, m := range marks {
		switch {
		case m.quoted:
		case m.begin && open < 0:
			open = m.start
		case !m.begin:
			if open < 0 {
				open = last
			}
			found = append(found, span{open, m.end, "private-key"})
			open, last = -1, m.end
		}
	}
	if open >= 0 {
		found = append(found, span{open, len(s), "private-key"})
	}
	return found
}

// urlPassword returns the password in a URL with its "://" at start to end: in
// scheme://user:password@host the text between the first ':' and the last '@'
// before the host. A password may contain characters that are invalid in a URL.
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
		at = max(at, strings.LastIndexByte(text, '@')) // the password contains a slash
	}
	if at < 0 {
		return f, false
	}
	if colon < 0 || colon > at {
		// The user without a password may be a token, as in https://TOKEN@host.
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

// isHost reports whether s can only be a host, and not a password.
func isHost(s string) bool {
	return !strings.Contains(s, "@") && (s == "localhost" || strings.ContainsAny(s, ".["))
}

func isPort(s string) bool {
	return s != "" && len(s) <= 5 && all(s, isDigit)
}

// cookieAttributes lists the attributes of a Set-Cookie header.
const cookieAttributes = " path domain expires max-age samesite version priority comment "

// cookieValues returns the values of the cookies after the word at start to
// end, as in Cookie: a=b; c=d, and where they end.
func cookieValues(s string, start, end int) (found []span, till int) {
	const longest = 8 << 10 // bytes of a header
	v := valueReader{s: s}
	if end < len(s) && s[end]|0x20 == 's' {
		end++ // cookies: a=b
	}
	a, ok := v.assignment(start, end)
	if !ok || a.equals || a.tag {
		return nil, end
	}
	i := a.value
	till = min(len(s), i+longest)
	if n := strings.IndexAny(s[i:till], "\r\n\"'`\\<>{}"); n >= 0 {
		till = i + n
	}
	if next := nextHeader().FindStringSubmatchIndex(s[i:till]); next != nil {
		till = i + next[0] // the word of that header finds its values
	}
	for part := range strings.SplitAfterSeq(s[i:till], ";") {
		if f, ok := cookieValue(s, i, i+len(strings.TrimRight(part, "; "))); ok {
			found = append(found, f)
		}
		i += len(part)
	}
	return found, till
}

// nextHeader matches a cookie header within the values of another one: "the
// cookie: Cookie: a=b".
var nextHeader = lazily(`(?i)cookies?2?["']?[ \t]*:`)

// cookieValue returns the value of the cookie at from to till, unless it looks
// like a setting: a short value, or a word.
func cookieValue(s string, from, till int) (f span, ok bool) {
	const least = 8 // bytes
	from += strings.LastIndexByte(s[from:till], ' ') + 1
	name, value, _ := strings.Cut(s[from:till], "=")
	name = strings.ToLower(strings.TrimSpace(name))
	name = name[strings.LastIndexAny(name, " :(,")+1:] // of "see below: a=b"
	if len(value) < least || name == "" || strings.Contains(cookieAttributes, " "+name+" ") ||
		isReference(value) || !isRandom(value) {
		return f, false
	}
	return span{till - len(value), till, "cookie"}, true
}

// netrcEntry matches an entry of a netrc file up to its password: machine NAME
// login NAME password SECRET, on one line or several. A line break may be
// written as an escape within a string.
var netrcEntry = lazily(strings.NewReplacer("_", `(?:[\x00- ]|\\[nrt])`, "WORD", `[^\x00- ]+?`).Replace(
	`^(?:(?i:default login)_+WORD|(?i:machine)_+(WORD)(_+))(?:_*(?:login|account)_+WORD_+)*_*password_+(WORD)(?:_|$)`))

// netrcPassword returns the password of the entry that begins with the word at
// start to end.
func netrcPassword(s string, start, end int) (f span, ok bool) {
	const longest = 512 // bytes of an entry
	rest := s[start:min(len(s), end+longest)]
	m := netrcEntry().FindStringSubmatchIndex(rest)
	if m == nil || start > 0 && isNameByte(s[start-1]) {
		return f, false
	}
	// Prose contains neither a host nor line breaks here.
	if m[2] >= 0 && rest[m[4]] == ' ' && !strings.ContainsAny(rest[m[2]:m[3]], ".0123456789") && rest[m[2]:m[3]] != "localhost" {
		return f, false
	}
	value := strings.TrimRight(rest[m[6]:m[7]], "\"'`,.")
	return span{start + m[6], start + m[6] + len(value), "password"}, len(value) >= 3 && !isReference(value)
}
