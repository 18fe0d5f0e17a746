package redact

import (
	"math"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"agentflow/internal/dfa"

	"github.com/google/uuid"
)

// region is a part of a text on which a rule is tried.
type region struct{ start, end int }

// addRegion adds to a rule's regions the one in which a match with a keyword at
// start to end can be, unless there can be none. It joins overlapping regions,
// so that no byte is examined twice however dense the keywords are.
func (r *rule) addRegion(list []region, s string, start, end int) []region {
	reach := r.reach()
	from, till := max(0, start-reach.back), min(len(s), end+reach.forth)
	last := region{-1, -1}
	if len(list) > 0 {
		last = list[len(list)-1]
	}
	if r.shape == token {
		i := start
		for i > from && i > last.end && !isBreak(s[i-1]) {
			i--
		}
		from = max(0, i-1)
		for i = max(end, min(last.end, till)); i < till && !isBreak(s[i]); {
			i++
		}
		till = min(len(s), i+2)
	}
	switch {
	case from <= last.end:
		list[len(list)-1].end = max(last.end, till)
	case r.shape != token || till-from >= reach.need:
		list = append(list, region{from, till})
	}
	return list
}

// isAssigned reports whether gitleaks can find an assignment, of a value with
// at least least bytes, after a name that continues at i. This quick test saves
// most names the regular expression.
func isAssigned(s string, i, least int) bool {
	for n := 0; i < len(s) && n < 64 && (isWord(s[i]) || strings.IndexByte(" \t.-", s[i]) >= 0); n++ {
		i++
	}
	const blanks = " \t\n\r\f'\"\\"
	for n := 0; i < len(s) && n < 12 && (strings.IndexByte(blanks, s[i]) >= 0 || isEscaped(s, i)); n++ {
		i++
	}
	if escaped := strings.HasPrefix(s[max(0, i-1):], `\u003`); !escaped && (i >= len(s) || strings.IndexByte("=>:|?,", s[i]) < 0) {
		return false
	} else if escaped {
		i += len("u003e")
	}
	for n := 0; i < len(s) && n < 24 && (strings.IndexByte(blanks+"`=>:|?,", s[i]) >= 0 || isEscaped(s, i) || strings.HasPrefix(s[i-1:], `\u003`)); n++ {
		if s[i] == 'u' {
			i += len("003e")
		}
		i++
	}
	for least > 0 && i > 0 && s[i-1] == '=' {
		i, least = i-1, least-1 // may belong to the value
		if i > 0 && s[i-1] != '=' {
			break
		}
	}
	for least > 0 && i < len(s) && (isWord(s[i]) || strings.IndexByte("=.-+/:%|@~", s[i]) >= 0) {
		i, least = i+1, least-1
	}
	return least <= 0
}

// isEscaped reports whether the letter at i belongs to an escaped line break or
// tab within a string.
func isEscaped(s string, i int) bool {
	return i > 0 && s[i-1] == '\\' && strings.IndexByte("nrt", s[i]) >= 0
}

// match returns the rule's secrets in the regions of s, which are in order.
func (r *rule) match(s string, regions []region) (found []span) {
	done := 0
	for _, at := range regions {
		if r.id == "kubernetes-secret-yaml" {
			if text := s[at.start:at.end]; !holdsLabel(text, "data:") || !holdsLabel(text, "kind:") {
				continue
			}
		}
		for from := max(at.start, done); from < at.end; {
			m := r.re().FindStringSubmatchIndex(s[from:at.end])
			if m == nil {
				break
			}
			f, end := unquoted(s, r.secret(m, from)), from+m[1]
			if !r.allowed(s, f, from+m[0], end) {
				f = extend(s, f, at.end)
				found = append(found, f)
			}
			done = max(end, f.end, from+1)
			from = done
		}
	}
	return found
}

// holdsLabel reports whether s contains a word that ends in a colon, in any
// letter case.
func holdsLabel(s, word string) bool {
	const widest = 8 // bytes of the word; one letter may be a K of three bytes
	for at := strings.IndexByte(s, ':'); at >= 0; {
		if strings.HasSuffix(strings.ToLower(s[max(0, at+1-widest):at+1]), word) {
			return true
		}
		n := strings.IndexByte(s[at+1:], ':')
		if n < 0 {
			return false
		}
		at += 1 + n
	}
	return false
}

// matchName looks for a value assigned to a name that starts with a keyword of
// a rule, from start to end. It also returns where the rule continues: after
// the value, or at the value if that is so short that it may be a name itself,
// as in key: token = "…".
func (r *rule) matchName(s string, start, end int) (f span, next int, ok bool) {
	if !isAssigned(s, end, r.reach().need) {
		return f, 0, false
	}
	const most = 256 // bytes; longer values are followed to their end
	till := min(len(s), start+most)
	m := r.first().FindStringSubmatchIndex(s[start:till])
	if m == nil {
		return f, 0, false
	}
	f = unquoted(s, r.secret(m, start))
	if ok = !r.allowed(s, f, start, start+m[1]); ok {
		f = extend(s, f, till)
	}
	next = max(start+m[1], f.end)
	if f.end-f.start < 40 {
		next = f.start
	}
	return f, next, ok
}

// secret returns the group of a match that is the secret. It skips groups that
// are too short to be one.
func (r *rule) secret(groups []int, offset int) span {
	if r.group > 0 && len(groups) > 2*r.group {
		return span{offset + groups[2*r.group], offset + groups[2*r.group+1], r.id}
	}
	for i := 2; i+1 < len(groups) && !r.whole; i += 2 {
		if groups[i] >= 0 && groups[i+1]-groups[i] >= shortest {
			return span{offset + groups[i], offset + groups[i+1], r.id}
		}
	}
	return span{offset + groups[0], offset + groups[1], r.id}
}

// unquoted removes the quotes, plain or escaped, from the ends of a secret, so
// that the text around it stays well formed.
func unquoted(s string, f span) span {
	for f.end-f.start > shortest && (s[f.start] == '\\' || isQuote(s[f.start])) {
		f.start++
	}
	for f.end-f.start > shortest && (s[f.end-1] == '\\' || isQuote(s[f.end-1])) {
		f.end--
	}
	return f
}

// extend extends a secret that was cut at the end of its region.
func extend(s string, f span, cut int) span {
	if f.end == cut {
		for f.end < len(s) && (isWord(s[f.end]) || strings.IndexByte("-+/=.~", s[f.end]) >= 0) {
			f.end++
		}
	}
	return f
}

// allowed reports whether a finding is not a secret.
func (r *rule) allowed(s string, f span, start, end int) bool {
	secret := s[f.start:f.end]
	if r.id == genericRule && strings.HasSuffix(s[:f.start], "h1:") && len(secret) == 44 {
		return true // a line of go.sum for a module with a matching name
	}
	if r.entropy > 0 && entropy(secret) <= r.entropy {
		return true
	}
	// gitleaks' own match begins with up to 50 more characters of the name.
	for n := 0; r.shape == assigned && start > 0 && n < 50 && (isWord(s[start-1]) || s[start-1] == '.' || s[start-1] == '-'); n++ {
		start--
	}
	match, around := strings.Trim(s[start:end], "\n"), line(s, f.start, f.end)
	if plainID(secret) && !mayBeID(r, match, around) {
		return true
	}
	return slices.ContainsFunc(r.allow, func(a *allowlist) bool { return a.words != nil && a.words().contains(secret) }) ||
		slices.ContainsFunc(r.allow, func(a *allowlist) bool { return a.matches(secret, match, around) })
}

// allowlist describes which findings of a rule are not secrets.
type allowlist struct {
	target string // the text that re is matched against: "" for the secret, "match" or "line"
	re     func() *dfa.Regexp
	words  func() *automaton // words in the secret; nil for none
}

// newAllowlists converts allow lists. It skips those that also require a path,
// because a text has none.
func newAllowlists(lists []tomlAllowlist) []*allowlist {
	var out []*allowlist
	for _, t := range lists {
		if t.Condition != "" && len(t.Paths) > 0 {
			continue
		}
		a := &allowlist{target: t.RegexTarget}
		if len(t.Regexes) > 0 {
			a.re = lazily("(?:" + strings.Join(t.Regexes, ")|(?:") + ")")
		}
		if len(t.StopWords) > 0 {
			a.words = sync.OnceValue(func() *automaton {
				words := make([]string, len(t.StopWords))
				for i, w := range t.StopWords {
					words[i] = strings.ToLower(w)
				}
				return newAutomaton(words)
			})
		}
		out = append(out, a)
	}
	return out
}

// matches reports whether a finding is excluded by its shape.
func (a *allowlist) matches(secret, match, line string) bool {
	target := secret
	switch a.target {
	case "match":
		target = match
	case "line":
		target = line
	}
	return a.re != nil && a.re().MatchString(target)
}

// entropy returns the Shannon entropy in bits per character, over bytes like
// gitleaks.
func entropy(s string) float64 {
	var counts [utf8.RuneSelf]int32
	var others map[rune]int
	var often [32]int // often[n] is how many ASCII characters occur n times in s; the last element counts those that occur more often
	for _, r := range s {
		switch {
		case r < utf8.RuneSelf:
			n := int(counts[r])
			counts[r]++
			often[min(n, len(often)-1)]--
			often[min(n+1, len(often)-1)]++
		case others == nil:
			others = map[rune]int{r: 1}
		default:
			others[r]++
		}
	}
	var bits float64
	for n, characters := range often[:len(often)-1] {
		if n > 0 && characters > 0 {
			bits += float64(characters) * shareOf(n, len(s))
		}
	}
	if often[len(often)-1] > 0 {
		for _, n := range counts {
			if int(n) >= len(often)-1 {
				bits += shareOf(int(n), len(s))
			}
		}
	}
	for _, n := range others {
		bits += shareOf(n, len(s))
	}
	return bits
}

// shareOf returns the contribution to the entropy of a character that occurs n
// times among all.
func shareOf(n, all int) float64 {
	p := float64(n) / float64(all)
	return -p * math.Log2(p)
}

// plainID reports whether s looks like a commit id, a SHA-256 sum or a UUID.
// Memory has many of them, and on their own they are not secrets.
func plainID(s string) bool {
	if len(s) == 36 {
		return uuid.Validate(s) == nil
	}
	return (len(s) == 40 || len(s) == 64) && all(s, isHex)
}

// mayBeID reports whether a rule's finding is a secret although it looks like
// an id: because the rule is for one service and the service is named, or
// because the name found by the generic rule is more specific than "key" or
// "access".
func mayBeID(r *rule, match, around string) bool {
	switch {
	case r.everyword:
		return strings.Contains(strings.ToLower(around), "sourcegraph")
	case r.id != genericRule:
		return true
	}
	name := strings.ToLower(match)
	return containsAny(name, "secret", "token", "passw", "credential", "creds", "apikey", "api_key", "api-key", "auth")
}
