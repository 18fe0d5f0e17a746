package redact

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"
)

// Withheld stands for a text that could not be redacted.
const Withheld = "(text withheld)"

// MaxBytes is the longest text that is looked at; a longer one is withheld.
const MaxBytes = 32 << 20

// maxPasses bounds how often a text is looked at again after something was
// taken out of it. One more look that finds nothing is the rule.
const maxPasses = 8

// Options says what to take out beside what is always taken out.
type Options struct {
	// Extra holds regular expressions (Go syntax). What the first group
	// matches is redacted, or the whole match where there is no group.
	Extra []string
	// Names holds more names whose values are secret: "name=value",
	// "name: value" and the like. Letter case does not count.
	Names []string
	// Env holds variables as os.Environ gives them. The values of those with
	// secret names are redacted wherever they stand, from 8 bytes on.
	Env []string
}

// Redactor takes secrets out of text. It is safe for concurrent use.
type Redactor struct {
	extra    []*regexp.Regexp
	literals []literal
	scanner  func() (*scanner, error) // built at the first text
}

// New checks the options. gitleaks' rules are read at the first text, not
// here. An error names the expression in o.Extra that does not compile.
func New(o Options) (*Redactor, error) {
	r := &Redactor{literals: literals(o.Env, o.Names)}
	for _, x := range o.Extra {
		re, err := regexp.Compile(x)
		if err != nil {
			return nil, fmt.Errorf("compile the redaction %q: %w", x, err)
		}
		r.extra = append(r.extra, re)
	}
	names := append([]string(nil), o.Names...)
	r.scanner = sync.OnceValues(func() (*scanner, error) { return newScanner(names) })
	return r, nil
}

// Prepare reads gitleaks' rules in the background, so that the first text
// does not wait for them. What goes wrong with them Text says.
func (r *Redactor) Prepare() {
	go func() {
		defer func() { _ = recover() }()
		_, _ = r.scanner()
	}()
}

// Text returns s without its secrets. It needs no more memory than a few
// times len(s). Measured on one core of two busy ones: prose 200 MB/s, code
// 100 MB/s; the worst texts known, made of nothing but names and values of
// every rule, 0.5 MB/s, so that 256 KB take half a second at most. The first
// call reads gitleaks' rules as well: 20 ms at most.
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

// find returns what is secret in s, in no order.
func (r *Redactor) find(sc *scanner, s string) []span {
	found := append(sc.scan(s), r.known(s)...)
	if p, ok := undisguised(s); ok {
		seen := merge(append(sc.scan(p.text), r.known(p.text)...))
		p.original(seen)
		found = append(found, seen...)
	}
	return found
}

// known returns where the values of the environment's secrets stand in s.
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
