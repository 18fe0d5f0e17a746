// Package redact removes secrets from text before it is stored.
//
// It finds: the secrets of gitleaks' default rules, and tokens with a unique
// prefix; private keys over several lines; passwords in URLs, in netrc files
// and after the short flags of programs (docker login -p); signatures of links
// and cookies; values given to names such as password or API_TOKEN, by an
// assignment, a sentence ("the password is …") or a Terraform default; and the
// values of this process's own secret environment variables. Each is replaced
// by "[redacted: kind]". Terminal colours, invisible characters and full-width
// letters within a secret do not hide it.
//
// Guarantees, for any bytes: it never panics; redacting twice gives the same
// result as once; line breaks stay where they are, so that line-based formats
// keep their structure; if anything fails, the whole text becomes Withheld, and
// is never returned unredacted. A text over MaxBytes is withheld too. The cost
// grows linearly with the text.
//
// Not guaranteed: that every secret is found. A secret without a known shape or
// a revealing name looks like any other word. Commit ids, checksums, UUIDs and
// paths are kept unless the name of a secret comes before them.
package redact

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Withheld replaces a text that could not be redacted.
const Withheld = "(text withheld)"

// MaxBytes limits the length of a text; a longer one is withheld.
const MaxBytes = 32 << 20

// maxPasses limits how often a text is scanned again after a secret was
// removed. Usually the second scan finds nothing.
const maxPasses = 8

// Options describe further secrets to remove.
type Options struct {
	// Extra holds regular expressions (Go syntax). The first group is redacted,
	// or the whole match if there is no group.
	Extra []string
	// Names holds further names of secret values: "name=value", "name: value"
	// and the like. Letter case does not matter.
	Names []string
	// Env holds variables in the form of os.Environ. Values of at least 8 bytes
	// of variables with secret names are redacted wherever they occur.
	Env []string
}

// Redactor removes secrets from text. It is safe for concurrent use.
type Redactor struct {
	extra    []*regexp.Regexp
	literals []literal
	scanner  func() (*scanner, error) // built for the first text
}

// New checks the options. It does not load gitleaks' rules; the first text
// does. An error names the expression in o.Extra that does not compile.
func New(o Options) (*Redactor, error) {
	r := &Redactor{literals: literals(o.Env, o.Names)}
	for _, x := range o.Extra {
		re, err := regexp.Compile(x)
		if err != nil {
			return nil, fmt.Errorf("compile the redaction %q: %w", x, err)
		}
		r.extra = append(r.extra, re)
	}
	names := slices.Clone(o.Names)
	r.scanner = sync.OnceValues(func() (*scanner, error) { return newScanner(names) })
	return r, nil
}

// Prepare loads gitleaks' rules in the background, so that the first text does
// not wait for them. If they cannot be loaded, Text withholds all text.
func (r *Redactor) Prepare() {
	go func() {
		defer func() { _ = recover() }()
		_, _ = r.scanner()
	}()
}

// Text returns s without its secrets. It needs no more memory than a few times
// len(s), and dfa.MaxBytesOfAll. Measured on one core of two busy ones: prose
// 300 MB/s, code 170 MB/s; lines of logs with a token each 35 MB/s, only
// secrets and their names 15 to 20 MB/s; the worst known texts, which consist
// only of commands that take passwords, 1 MB/s. The first call also loads
// gitleaks' rules: 4 ms.
func (r *Redactor) Text(s string) (clean string) {
	defer func() {
		if recover() != nil {
			clean = Withheld
		}
	}()
	if len(s) > MaxBytes {
		return Withheld
	}
	sc, err := r.scanner()
	if err != nil {
		return Withheld
	}
	ends := time.Now().Add(extraTime + time.Duration(len(s))*extraTimeByte)
	for range maxPasses {
		if s == Withheld {
			return s
		}
		custom, ok := r.custom(s, ends)
		if !ok {
			return Withheld
		}
		next := replace(s, append(r.find(sc, s), custom...))
		if next == s {
			return s
		}
		s = next
	}
	return Withheld
}

// find returns the secrets in s, in no particular order.
func (r *Redactor) find(sc *scanner, s string) []span {
	found := append(sc.scan(s), r.known(s)...)
	if p, ok := undisguised(s); ok {
		seen := merge(append(sc.scan(p.text), r.known(p.text)...))
		p.original(seen)
		found = append(found, seen...)
	}
	return found
}

// known returns where the values of secret environment variables occur in s.
func (r *Redactor) known(s string) []span {
	var found []span
	for _, l := range r.literals {
		for at := 0; ; {
			i := strings.Index(s[at:], l.value)
			if i < 0 {
				break
			}
			at += i + len(l.value)
			found = append(found, span{at - len(l.value), at, l.kind})
		}
	}
	return found
}

// How long the expressions of Options.Extra may work on a text, in total and
// for each of its bytes: a hundred of them usually take a tenth of that. The
// time of one of them can grow with the square of the text, and the author of a
// repository's settings writes it.
const (
	extraTime     = time.Second
	extraTimeByte = 5 * time.Microsecond
)

// custom returns the matches of Options.Extra in s. done is false if they took
// too long.
func (r *Redactor) custom(s string, ends time.Time) (found []span, done bool) {
	for _, re := range r.extra {
		for from := 0; from <= len(s); {
			m := re.FindStringSubmatchIndex(s[from:])
			if m == nil {
				break
			}
			if time.Now().After(ends) {
				return nil, false
			}
			end := from + m[1]
			if len(m) > 2 && m[2] >= 0 {
				m = m[2:]
			}
			found = append(found, span{from + m[0], from + m[1], "custom"})
			if end == from { // an empty match, which would be found again
				_, width := utf8.DecodeRuneInString(s[from:])
				end += max(1, width)
			}
			from = end
		}
		if time.Now().After(ends) {
			return nil, false
		}
	}
	return found, true
}

// literal is a value that is secret wherever it occurs.
type literal struct{ value, kind string }

// literals returns the values of environment variables with secret names,
// longest first.
func literals(env, extra []string) []literal {
	const least = 8 // bytes; shorter values turn up by chance
	names := secretNames(extra)
	var list []literal
	for _, v := range env {
		variable, value, ok := strings.Cut(v, "=")
		if variable == "PWD" || variable == "OLDPWD" {
			continue // the shell's current folder, which is never a secret
		}
		if !ok || len(value) < least || isReference(value) || isPath(value) {
			continue
		}
		if kind, ok := secretVariable(variable, names); ok {
			list = append(list, literal{value, kind})
		}
	}
	slices.SortFunc(list, func(a, b literal) int {
		return cmp.Or(cmp.Compare(len(b.value), len(a.value)), cmp.Compare(a.value, b.value))
	})
	return list
}

// secretVariable reports whether a variable's name is the name of a secret.
func secretVariable(variable string, names []name) (kind string, ok bool) {
	low := strings.ToLower(variable)
	for i := range names {
		at := strings.Index(low, names[i].word)
		if at < 0 {
			continue
		}
		if _, till, ok := names[i].identifier(variable, at, at+len(names[i].word)); ok && till == len(variable) {
			return names[i].kind, true
		}
	}
	return "", false
}
