package redact

import (
	"strings"
	"unicode"
)

// name is a word that says the value beside it is secret.
type name struct {
	word string // lower case
	kind string
	// chosen: people choose the values, so they may be ordinary words; values
	// of other names are random.
	chosen bool
	// apart: the word counts only where it begins an identifier or a part of
	// one; it is too short to be told inside another word.
	apart bool
}

// secretNames lists the names whose values are redacted, extra ones last.
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

// aboutWords end names of things that are about a secret and not one:
// token_count, passwordPolicy, SECRET_FILE.
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
	// A dot or dash that ends a sentence or a list is no part of the name.
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

// isNameByte says whether a byte can stand in an identifier.
func isNameByte(c byte) bool { return isWord(c) || c == '-' || c == '.' }

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }
