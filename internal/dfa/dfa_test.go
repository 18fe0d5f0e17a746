package dfa

import (
	"math/rand"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

var expressions = []string{
	``, `a`, `^a`, `a$`, `(?m)^a$`, `\ba+\b`, `\Ba`, `(a|ab)(c|bcd)?(d*)`, `(a*)(a|b)*?c`, `(?i)k[s-t]+`, `(|a)*`, `(|a)+`, `(a*)+b?`, `((a)|b)*`,
	`(?:a|(b))+?c`, `[^a-b\n]{2,4}`, `.{3}`, `(?s).{3}$`, `(a+)(b+)|(a+)`, `(?i)[a-z]?ſ`, `é|(.)é`, `[\x80-\x{10ffff}]+`, `a{2,5}?b{0,3}`, `(?:(?:^|\s)(\w+))+?=(\S{2,})`,
	`(?i)^true|false|null$`, `x*`, `(x*)y??`, `\z`, `\A(b?)`, `(?U)a+(b+)`, `\x{FFFD}`, `(a?)(a?)(a?)aa`, `(\w+?)(?:[\x60'"\s;]|\\[nr]|$)`, `[a-c]{30}`,
}

// same compares every answer with that of package regexp.
func same(t *testing.T, re *Regexp, std *regexp.Regexp, s string) {
	t.Helper()
	if got, want := re.FindStringSubmatchIndex(s), std.FindStringSubmatchIndex(s); !slices.Equal(got, want) {
		t.Fatalf("%s in %q: %v, want %v", std, s, got, want)
	}
	if got, want := re.MatchString(s), std.MatchString(s); got != want {
		t.Fatalf("%s in %q: %v, want %v", std, s, got, want)
	}
}

func TestAnswersAreThoseOfPackageRegexp(t *testing.T) {
	g := rand.New(rand.NewSource(1))
	letters := strings.Split("a a a b b b c d k K s ſ \u212a = ' ; \\n \\ \n é ü \xff \xe2\x82 true null x y 0 _", " ")
	for _, expr := range expressions {
		re, std := MustCompile(expr), regexp.MustCompile(expr)
		for range 2000 {
			var b strings.Builder
			for range g.Intn(40) {
				b.WriteString(letters[g.Intn(len(letters))])
			}
			same(t, re, std, b.String())
		}
	}
}

// TestMemoryIsBounded checks that package regexp runs an expression with states
// that would take too much memory, with the same results before and after the
// automaton is full.
func TestMemoryIsBounded(t *testing.T) {
	const expr = `[ab]*a([ab]{14})c`
	re, std := MustCompile(expr), regexp.MustCompile(expr)
	g := rand.New(rand.NewSource(1))
	for range 4000 {
		b := make([]byte, 400)
		for i := range b {
			b[i] = "aabbbbaaabc"[g.Intn(11)]
		}
		same(t, re, std, string(b))
	}
	for _, a := range []*automaton{&re.groups, &re.match} {
		if !a.full || a.bytes > MaxBytes+64<<10 {
			t.Errorf("%d bytes of states, full: %v", a.bytes, a.full)
		}
	}
	if re := MustCompile(strings.Repeat("(a)", maxSlots)); !re.groups.full || len(re.FindStringSubmatchIndex(strings.Repeat("a", maxSlots))) != 2*maxSlots+2 {
		t.Error("an expression with many groups is not left to package regexp")
	}
}

func TestConcurrentUse(t *testing.T) {
	const expr = `(?i)(\w{3,}?)\s*=\s*([a-z0-9]+)\b`
	re, std := MustCompile(expr), regexp.MustCompile(expr)
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			g := rand.New(rand.NewSource(int64(n)))
			for range 300 {
				b := make([]byte, 60)
				for i := range b {
					b[i] = byte(' ' + g.Intn(95))
				}
				same(t, re, std, string(b)+" name = value1")
			}
		})
	}
	wg.Wait()
}

func FuzzFind(f *testing.F) {
	for _, expr := range expressions {
		f.Add(expr, "aab = 'c\\n' kſ é\xff true\n")
	}
	f.Fuzz(func(t *testing.T, expr, s string) {
		std, err := regexp.Compile(expr)
		if err != nil || len(expr) > 200 {
			return
		}
		same(t, MustCompile(expr), std, s)
	})
}
