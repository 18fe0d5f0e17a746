// Package gitleaks compares the rules that package redact embeds with those of
// gitleaks. It is a separate module: the program needs gitleaks' rules, not the
// eighty modules that gitleaks depends on.
package gitleaks

import (
	"bytes"
	"math/rand"
	"os"
	"path/filepath"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"

	"agentflow/internal/redact"
	"agentflow/internal/testing/secrettest"

	"github.com/zricethezav/gitleaks/v8/config"
	"github.com/zricethezav/gitleaks/v8/detect"
)

// embedded is the folder of the rules that package redact embeds.
var embedded = filepath.FromSlash("../../../redact/gitleaks")

// To take in a new gitleaks: go get the version here, copy the file that this
// test names, write the version to VERSION, and see that the other tests pass.
func TestEmbeddedRulesAreThoseOfTheirVersion(t *testing.T) {
	module := secrettest.Module(t, ".")
	for name, at := range map[string]string{"gitleaks.toml": "config/gitleaks.toml", "LICENSE": "LICENSE"} {
		ours, err := os.ReadFile(filepath.Join(embedded, name))
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := os.ReadFile(filepath.Join(module.Dir, filepath.FromSlash(at)))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(ours, theirs) {
			t.Errorf("%s differs from %s of the module", filepath.Join(embedded, name), at)
		}
	}
	version, err := os.ReadFile(filepath.Join(embedded, "VERSION"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.TrimSpace(string(version)), module.Version; got != want {
		t.Errorf("VERSION is %s, go.mod requires %s", got, want)
	}
}

// shortest is the least number of characters of a secret for package redact.
const shortest = 6

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

func TestEverySecretGitleaksKnows(t *testing.T) {
	d, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	r, err := redact.New(redact.Options{})
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
			for where, s := range secrettest.Contexts(text) {
				if where == "json" && strings.Trim(secrettest.Escape(secret), `\"`) != strings.Trim(secret, `"`) {
					continue // there the secret has other bytes than these
				}
				texts++
				clean := r.Text(s)
				if left := secrettest.Left(clean, secret); left != "" {
					t.Errorf("%s, sample %d, %s: %q is left\nin  %q\nout %q", id, n, where, left, secrettest.Tail(s), secrettest.Tail(clean))
				}
				if again := r.Text(clean); again != clean {
					t.Errorf("%s, sample %d, %s: a second pass makes\n%q of\n%q", id, n, where, secrettest.Tail(again), secrettest.Tail(clean))
				}
			}
		}
	}
	t.Logf("%d rules, %d with an expression, %d texts; no sample that gitleaks itself finds: %q", len(d.Config.OrderedRules), tried, texts, silent)
	if len(silent) > 3 {
		t.Errorf("%d rules without a sample", len(silent))
	}
}
