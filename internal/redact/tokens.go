package redact

import "strings"

// shapedToken is a secret that begins as no other text does. gitleaks knows
// most of them; these it does not know, or only beside the name of their
// service.
type shapedToken struct {
	prefix string // letter case counts
	kind   string
	marks  string // what may stand in it beside letters and digits
	least  int    // bytes after the prefix
	bare   bool   // the prefix is a name and no part of the secret
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

// at returns the token whose prefix stands, in any letter case, at start to
// end. It has digits, and is no part of something longer.
func (t *shapedToken) at(s string, start, end int) (f span, ok bool) {
	if s[start:end] != t.prefix || start > 0 && t.goesOn(s, start) {
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

// goesOn says whether the prefix at start is the end of something longer.
func (t *shapedToken) goesOn(s string, start int) bool {
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
	if n := start - from; n != 15 && n != 16 || from > 0 && isWord(s[from-1]) {
		return f, false
	}
	for till < len(s) && till-end < 41 && (isWord(s[till]) || s[till] == '-') {
		till++
	}
	if n := till - end; n < 27 || n > 40 || !isRandom(s[end:till]) {
		return f, false
	}
	return span{from, till, "facebook-access-token"}, true
}
