package redact

import (
	_ "embed"
	"fmt"
	"regexp/syntax"
	"strings"
	"sync"

	"agentflow/internal/dfa"

	"github.com/pelletier/go-toml/v2"
)

// genericRule is gitleaks' rule for a value assigned to any name such as key.
const genericRule = "generic-api-key"

// rule is one of gitleaks' rules. Its expression is parsed and compiled when
// one of its keywords first occurs: all rules take 20 ms, and most texts need
// only a few.
type rule struct {
	id      string
	re      func() *dfa.Regexp
	first   func() *dfa.Regexp // re, only at the start of the text
	group   int                // the group of the secret; 0 means the first group that matched
	entropy float64
	allow   []*allowlist

	shape     shape
	reach     func() reach
	whole     bool // the whole match is the secret, regardless of groups
	everyword bool // its keywords may be anywhere in the text, not only in the match
}

// reach is where a rule's matches can be around a keyword, in bytes.
type reach struct {
	need  int // minimum length of a match, or of its value, without blanks and quotes
	back  int // how far before its keyword a match can begin
	forth int // how far after its keyword a match can end
}

// shape is the form of a rule's matches, which determines where to look for
// them.
type shape int

const (
	token    shape = iota // one run without blanks or quotes
	assigned              // a name, a separator, a value
	blanks                // may contain blanks
)

// keyword is a word that every match of a rule needs.
type keyword struct {
	word  string
	rule  int
	named bool // it is in the name that a value is assigned to
}

// ruleset is gitleaks' default configuration.
type ruleset struct {
	rules    []rule
	keywords []keyword
}

// gitleaksRules is gitleaks' default configuration, byte for byte, of the
// version named in gitleaks/VERSION. A test in a separate module
// (internal/testing/secrettest/gitleaks) ensures that.
//
//go:embed gitleaks/gitleaks.toml
var gitleaksRules string

// defaultRules parses gitleaksRules. All Redactors share the result, which does
// not change.
var defaultRules = sync.OnceValues(func() (*ruleset, error) { return parseRules(gitleaksRules) })

// separators matches the text between name and value in most rules of gitleaks,
// after rewriting.
const separators = `(?:=|>|:{1,3}=|\|\||:|=>|\?=|,|=?\\u003e)(?:\\[nrt]|[\x60'"\s=\\]){0,10}`

// rewriting changes gitleaks' expressions around names and values. It drops
// their prefix, which only widens the reported match (for the allow lists that
// use the match, see allowed); without it, matching is several times faster. It
// also allows escaped quotes, as in JSON, and lets a value end at more than a
// blank or a quote, for example at the comma of a sentence.
var rewriting = strings.NewReplacer(
	`[\w.-]{0,50}?`, ``,
	`[\s'"]{0,3}`, `[\s'"\\]{0,6}`,
	`(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}`, separators,
	`(?:^|[\\'"\x60\s>=:(,)])`, `(?:^|u003e|[\\'"\x60\s>=:(,)])`,
	`(?:[\x60'"\s;]|\\[nr]|$)`, `(?:[^0-9A-Za-z_+/-]|$)`,
	`(?:\s|\z)`, `(?:[\s,;)"'\\]|\z)`,
	`(?:[\/|\#|\?|:]|$)`, ``,
	`(?:.*|.*(?:[\r\n]{1,2}.*){1,5})`, `(?:.*?|.*?(?:[\r\n]{1,2}.*?){1,5}?)`, // the nearest of the passwords of several commands
	`{10,150}`, `{10,}`, // of the generic rule; the limit is slow, and the examined text is limited anyway
)

// escapedQuotes allows a backslash before every quote of an expression.
func escapedQuotes(expr string) string {
	const orEscaped = `\\?`
	var b strings.Builder
	for i := 0; i < len(expr); i++ {
		switch c := expr[i]; {
		case c == '\\' && i+1 < len(expr):
			if i++; expr[i] == '"' {
				b.WriteString(orEscaped + `"`)
			} else {
				b.WriteString(expr[i-1 : i+1])
			}
		case c == '[':
			end := i + 1 + strings.IndexByte(expr[i+1:], ']')
			if expr[i+1] == '[' {
				end++ // [[:alnum:]]
			}
			if expr[i:end+1] == `["']` {
				b.WriteString(orEscaped)
			}
			b.WriteString(expr[i : end+1])
			i = end
		case c == '"', c == '\'':
			b.WriteString(orEscaped + string(c))
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// Rules that need special treatment. The test over all rules fails if one is
// missing.
var (
	// These keys, complete or cut, are found without an expression.
	ownRules = map[string]bool{"private-key": true}
	// These rules have matches that may contain blanks or quotes.
	blankRules = map[string]bool{
		"curl-auth-header": true, "curl-auth-user": true, "kubernetes-secret-yaml": true,
		"nuget-config-password": true, "freemius-secret-key": true,
	}
	// The whole match of these rules is the secret: the groups only distinguish
	// kinds.
	wholeRules = map[string]bool{"jwt-base64": true}
	// The keywords of these rules need not be in the match.
	everywhereRules = map[string]bool{
		"airtable-personnal-access-token": true, "facebook-access-token": true, "sourcegraph-access-token": true,
	}
)

// lazily compiles an expression when it is first used.
func lazily(expr string) func() *dfa.Regexp {
	return sync.OnceValue(func() *dfa.Regexp { return dfa.MustCompile(expr) })
}

type tomlAllowlist struct {
	Condition   string
	RegexTarget string
	Paths       []string
	Regexes     []string
	StopWords   []string
}

type tomlConfig struct {
	Allowlist tomlAllowlist
	Rules     []struct {
		ID          string
		Regex       string
		Entropy     float64
		SecretGroup int
		Keywords    []string
		Allowlists  []tomlAllowlist
	}
}

func parseRules(text string) (*ruleset, error) {
	var c tomlConfig
	if err := toml.Unmarshal([]byte(text), &c); err != nil {
		return nil, fmt.Errorf("read the rules of gitleaks: %w", err)
	}
	set, everywhere := new(ruleset), newAllowlists([]tomlAllowlist{c.Allowlist})
	for _, t := range c.Rules {
		if t.Regex == "" || ownRules[t.ID] {
			continue // a rule for file names
		}
		expr := escapedQuotes(rewriting.Replace(t.Regex))
		r := rule{
			id: t.ID, group: t.SecretGroup, entropy: t.Entropy, allow: append(newAllowlists(t.Allowlists), everywhere...),
			re:    lazily(expr),
			first: lazily("^(?:" + expr + ")"),
			shape: shapeOf(t.ID, expr), everyword: everywhereRules[t.ID], whole: wholeRules[t.ID],
		}
		r.reach = sync.OnceValue(func() reach { return reachOf(expr, r.shape) })
		for _, k := range t.Keywords {
			set.keywords = append(set.keywords, keyword{
				word: strings.ToLower(k), rule: len(set.rules), named: r.shape == assigned && inName(expr, k),
			})
		}
		set.rules = append(set.rules, r)
	}
	return set, nil
}

func shapeOf(id, expr string) shape {
	switch {
	case strings.Contains(expr, separators):
		return assigned
	case blankRules[id]:
		return blanks
	}
	return token
}

// reachOf determines where the matches of an expression can be. It panics if
// the expression is invalid, like compiling it.
func reachOf(expr string, shape shape) reach {
	const longest = 2048 // bytes looked at before and after a keyword
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		panic("a rule of gitleaks: " + err.Error())
	}
	shortest, most := width(tree)
	r := reach{back: min(most, longest) + 8, forth: min(most, longest) + 8}
	switch shape {
	case assigned:
		r.need = shortestValue(expr)
	case blanks:
		r.back = min(r.back, 512)
	default:
		r.need = shortest
	}
	return r
}

// shortestValue returns the minimum length of a value in bytes, without quotes.
func shortestValue(expr string) int {
	_, value, _ := strings.Cut(expr, separators)
	tree, err := syntax.Parse(value, syntax.Perl)
	if err != nil {
		return shortest
	}
	least, _ := width(tree)
	return least - strings.Count(value, `"`)
}

// inName reports whether a keyword starts the name that an expression expects
// before the separator.
func inName(expr, word string) bool {
	name, _, _ := strings.Cut(expr, separators)
	if strings.Contains(name, word+",") {
		return false // the comma would be taken for the separator
	}
	glue := strings.NewReplacer("[_-]?", "", "[_.-]?", "", "_", "", "-", "")
	name, word = strings.ToLower(glue.Replace(name)), strings.ToLower(glue.Replace(word))
	const or = "(?:or)?" // passw(?:or)?d
	return strings.Contains(strings.ReplaceAll(name, or, "or"), word) || strings.Contains(strings.ReplaceAll(name, or, ""), word)
}

// endless is the width of a match without an upper limit.
const endless = 1 << 20

// width returns the minimum and maximum number of runes that an expression
// matches.
func width(t *syntax.Regexp) (least, most int) {
	switch t.Op {
	case syntax.OpLiteral:
		return len(t.Rune), len(t.Rune)
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return 1, 1
	case syntax.OpCapture:
		return width(t.Sub[0])
	case syntax.OpConcat:
		for _, s := range t.Sub {
			l, m := width(s)
			least, most = least+l, min(endless, most+m)
		}
		return least, most
	case syntax.OpAlternate:
		least = endless
		for _, s := range t.Sub {
			l, m := width(s)
			least, most = min(least, l), max(most, m)
		}
		return least, most
	case syntax.OpStar:
		return 0, endless
	case syntax.OpPlus:
		l, _ := width(t.Sub[0])
		return l, endless
	case syntax.OpQuest:
		_, m := width(t.Sub[0])
		return 0, m
	case syntax.OpRepeat:
		l, m := width(t.Sub[0])
		if t.Max < 0 {
			return l * t.Min, endless
		}
		return l * t.Min, min(endless, m*t.Max)
	}
	return 0, 0
}
