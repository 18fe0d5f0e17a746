package redact

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"

	"github.com/zricethezav/gitleaks/v8/config"
	"github.com/zricethezav/gitleaks/v8/detect"

	"agentflow/internal/testing/secrettest"
)

// sampler makes random strings that match an expression.
type sampler struct{ *rand.Rand }

func (g sampler) sample(t *syntax.Regexp) string {
	switch t.Op {
	case syntax.OpLiteral:
		return string(t.Rune)
	case syntax.OpCharClass:
		return string(g.pick(t.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		if g.Intn(2) == 0 {
			return "." // often an unescaped dot of a host
		}
		return string(rune('a' + g.Intn(26)))
	case syntax.OpCapture:
		return g.sample(t.Sub[0])
	case syntax.OpConcat:
		var b strings.Builder
		for _, s := range t.Sub {
			b.WriteString(g.sample(s))
		}
		return b.String()
	case syntax.OpAlternate:
		return g.sample(t.Sub[g.Intn(len(t.Sub))])
	case syntax.OpStar:
		return g.repeat(t.Sub[0], 0, 3)
	case syntax.OpPlus:
		return g.repeat(t.Sub[0], 1, 6)
	case syntax.OpQuest:
		return g.repeat(t.Sub[0], 0, 1)
	case syntax.OpRepeat:
		most := t.Max
		if most < 0 || most > t.Min+12 {
			most = t.Min + 12
		}
		return g.repeat(t.Sub[0], t.Min, most)
	}
	return ""
}

func (g sampler) repeat(t *syntax.Regexp, least, most int) string {
	var b strings.Builder
	for range least + g.Intn(most-least+1) {
		b.WriteString(g.sample(t))
	}
	return b.String()
}

// pick takes a printable rune of a class where it has one.
func (g sampler) pick(class []rune) rune {
	var all []rune
	for i := 0; i < len(class); i += 2 {
		for r := max(class[i], '!'); r <= min(class[i+1], '~'); r++ {
			all = append(all, r)
		}
	}
	if len(all) == 0 {
		return ' '
	}
	return all[g.Intn(len(all))]
}

// secretOf returns a text that holds a secret of a rule, and the secret, as
// gitleaks itself finds it.
func secretOf(g sampler, d *detect.Detector, r config.Rule) (text, secret string, ok bool) {
	tree, err := syntax.Parse(r.Regex.String(), syntax.Perl)
	if err != nil {
		return "", "", false
	}
	for try := range 400 {
		text = strings.TrimSpace(g.sample(tree))
		low := strings.ToLower(text)
		if !slices.ContainsFunc(r.Keywords, func(k string) bool { return strings.Contains(low, k) }) {
			if try < 100 {
				continue
			}
			text = r.Keywords[0] + " " + text
		}
		//lint:ignore SA1019 v8 has no other way to give a path with the text
		for _, f := range d.Detect(detect.Fragment{Raw: text, FilePath: pathFor(r)}) {
			if f.RuleID == r.RuleID && len(f.Secret) >= shortest {
				return text, f.Secret, true
			}
			if f.RuleID == r.RuleID { // a group that only groups
				return text, f.Match, true
			}
		}
	}
	return "", "", false
}

// pathFor returns a path that a rule looks at.
func pathFor(r config.Rule) string {
	for _, p := range []string{"", "a.php", "a.tf", "a.yaml", "nuget.config"} {
		if r.Path == nil || p != "" && r.Path.MatchString(p) {
			return p
		}
	}
	return ""
}

var parts = regexp.MustCompile(`[A-Za-z0-9_+/=.~-]{8,}`)

// leaks returns what of a secret still stands in a text.
func leaks(text, secret string) string {
	if strings.Contains(text, secret) {
		return secret
	}
	for _, p := range parts.FindAllString(secret, -1) {
		if strings.Contains(text, p) {
			return p
		}
	}
	return ""
}

// contexts are places where secrets turn up.
func contexts(text string) map[string]string {
	inner := escape(text)
	return map[string]string{
		"alone":    text,
		"export":   "export X=" + text + "\nexport Y=1",
		"json":     `{"line": 3, "text": "` + inner + `", "more": true}`,
		"sentence": "I saw that we set " + text + ", and then it worked.",
		"diff":     "@@ -1,2 +1,3 @@\n context\n+  key: " + text + "\n-  old: value\n",
		"stderr":   "Traceback (most recent call last):\r\nValueError: cannot use " + text + "\r\nexit status 1",
		"long":     strings.Repeat("x", 5000) + "\n" + strings.Repeat("word ", 2000) + text + "\n" + strings.Repeat("The end. ", 900),
	}
}

// escape returns a text as it stands inside a JSON string.
func escape(text string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(text)
	return b.String()[1 : b.Len()-2]
}

func TestEverySecretGitleaksKnows(t *testing.T) {
	d, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	g := sampler{rand.New(rand.NewSource(1))}
	const each = 3 // samples a rule
	tried, texts := 0, 0
	var silent []string
	for _, id := range d.Config.OrderedRules {
		rule := d.Config.Rules[id]
		if rule.Regex == nil {
			silent = append(silent, id+" (looks at file names only)")
			continue
		}
		tried++
		for n := range each {
			text, secret, ok := secretOf(g, d, rule)
			if !ok {
				silent = append(silent, id)
				break
			}
			for where, s := range contexts(text) {
				if where == "json" && strings.Trim(escape(secret), `\"`) != strings.Trim(secret, `"`) {
					continue // there the secret has other bytes than these
				}
				texts++
				clean := r.Text(s)
				if left := leaks(clean, secret); left != "" {
					t.Errorf("%s, sample %d, %s: %q is left\nin  %q\nout %q", id, n, where, left, tail(s), tail(clean))
				}
				if again := r.Text(clean); again != clean {
					t.Errorf("%s, sample %d, %s: a second pass makes\n%q of\n%q", id, n, where, tail(again), tail(clean))
				}
			}
		}
	}
	t.Logf("%d rules, %d with an expression, %d texts; no sample that gitleaks itself finds: %q", len(d.Config.OrderedRules), tried, texts, silent)
	if len(silent) > 3 {
		t.Errorf("%d rules without a sample", len(silent))
	}
}

// TestGitleaksSamples takes the texts that gitleaks checks its own rules with
// through redaction. AGENTFLOW_SECRETS=all takes every one of them, some 6,000.
func TestGitleaksSamples(t *testing.T) {
	each := 5 // of a rule
	if os.Getenv("AGENTFLOW_SECRETS") == "all" {
		each = 0
	}
	samples := secrettest.Gitleaks(t, each)
	if len(samples) < 500 {
		t.Fatalf("%d samples", len(samples))
	}
	r := newRedactor(t, Options{})
	texts := 0
	for _, s := range samples {
		for where, text := range contexts(s.Text) {
			if where == "json" && multiline[s.Name] {
				continue
			}
			texts++
			clean := r.Text(text)
			for _, secret := range s.Secrets {
				if where == "json" && escape(secret) != secret {
					continue
				}
				rest := strings.ReplaceAll(clean, "ClearTextPassword", "") // a name
				if left := leaks(rest, secret); left != "" {
					t.Errorf("%s, %s: %q is left\nin  %q\nout %q", s.Name, where, left, tail(text), tail(clean))
				}
			}
		}
	}
	t.Logf("%d samples in %d texts", len(samples), texts)
}

// multiline holds the rules that look at lines, which there are none of in a
// string of JSON.
var multiline = map[string]bool{"kubernetes-secret-yaml": true, "flyio-access-token": true}

func tail(s string) string {
	if len(s) > 700 {
		return fmt.Sprintf("…%s", s[len(s)-700:])
	}
	return s
}
