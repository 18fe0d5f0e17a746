// Package dfa runs regular expressions like package regexp, several times
// faster on short texts that match.
//
// It runs a deterministic automaton, which it builds while it runs, from the
// same program that package regexp runs. A state is the list of the threads
// that a Pike VM has between two characters, by priority. An edge records for
// each thread of its state which earlier thread it came from, and which groups
// began or ended on the way. So a match takes one step per character, and its
// groups are read off on the way back. MatchString uses a second automaton with
// states that are sets of threads, because there are fewer of them. (Cox,
// "Regular Expression Matching: the Virtual Machine Approach", 2009, for the
// threads; Laurikari, "NFAs with Tagged Transitions", 2000, for the groups.)
//
// Guarantees: matches and groups are those of package regexp, for any bytes. A
// Regexp is safe for concurrent use. The states of one automaton take about
// MaxBytes of memory at most, and those of all about MaxBytesOfAll. If more
// were needed, package regexp runs the expression from then on.
package dfa

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Limits of the memory for states, in bytes.
const (
	MaxBytes      = 2 << 20
	MaxBytesOfAll = 16 << 20
)

// Regexp is a compiled regular expression.
type Regexp struct {
	slow     func() *regexp.Regexp
	prog     *syntax.Prog
	slots    int  // number of ends of groups, as in the result of FindStringSubmatchIndex
	anchored bool // matches only at the start of the text

	ascii  [utf8.RuneSelf]uint16 // class of each ASCII character
	bounds []rune                // class n has the characters from bounds[n] up to bounds[n+1]

	groups automaton // states are lists of threads
	match  automaton // states are sets of threads
}

// maxSlots counts the bits in a set of slots.
const maxSlots = 64

// MustCompile parses an expression in the syntax of package regexp. It panics
// if the expression is invalid.
func MustCompile(expr string) *Regexp {
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		panic("dfa: " + err.Error())
	}
	slots := 2 * (tree.MaxCap() + 1)
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		panic("dfa: " + err.Error())
	}
	re := &Regexp{
		slow: sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) }),
		prog: prog, slots: slots, anchored: prog.StartCond()&syntax.EmptyBeginText != 0,
	}
	re.classify()
	tooLarge := len(prog.Inst) >= int(none)
	re.match.init(re, tooLarge, false)
	re.groups.init(re, tooLarge || slots > maxSlots, true)
	return re
}

// classify puts characters that no instruction distinguishes into one class.
func (re *Regexp) classify() {
	bounds := []rune{0, '\n', '\n' + 1, '0', '9' + 1, 'A', 'Z' + 1, '_', '_' + 1, 'a', 'z' + 1} // \b and (?m)$ distinguish these
	for i := range re.prog.Inst {
		inst := &re.prog.Inst[i]
		switch {
		case !isRune(inst.Op):
		case len(inst.Rune) == 1:
			r := inst.Rune[0]
			bounds = append(bounds, r, r+1)
			for f := unicode.SimpleFold(r); f != r && syntax.Flags(inst.Arg)&syntax.FoldCase != 0; f = unicode.SimpleFold(f) {
				bounds = append(bounds, f, f+1)
			}
		default:
			for n := 0; n+1 < len(inst.Rune); n += 2 {
				bounds = append(bounds, inst.Rune[n], inst.Rune[n+1]+1)
			}
		}
	}
	slices.Sort(bounds)
	re.bounds = slices.Compact(bounds)
	for r := range re.ascii {
		re.ascii[r] = re.search(rune(r))
	}
}

func isRune(op syntax.InstOp) bool {
	return op == syntax.InstRune || op == syntax.InstRune1 || op == syntax.InstRuneAny || op == syntax.InstRuneAnyNotNL
}

func (re *Regexp) search(r rune) uint16 {
	n, found := slices.BinarySearch(re.bounds, r)
	if !found {
		n--
	}
	return uint16(n)
}

// next returns the class of the character at i and its length in bytes. After
// the text it returns the class of the end, and 0.
func (re *Regexp) next(s string, i int) (class uint16, n int) {
	if i >= len(s) {
		return uint16(len(re.bounds)), 0
	}
	r, n := utf8.DecodeRuneInString(s[i:])
	return re.search(r), n
}

// MatchString reports whether s contains a match.
func (re *Regexp) MatchString(s string) bool {
	at := re.match.start
	for i := 0; ; {
		class, n := uint16(0), 1
		if i < len(s) && s[i] < utf8.RuneSelf {
			class = re.ascii[s[i]]
		} else {
			class, n = re.next(s, i)
		}
		e := at.edges[class].Load()
		if e == nil {
			e = re.match.grow(at, class)
		}
		if e == nil {
			return re.slow().MatchString(s)
		}
		if e.match != none {
			return true
		}
		if n == 0 || e.leads == toNothing {
			return false
		}
		at, i = e.to, i+n
	}
}

// FindStringSubmatchIndex returns the ends of the leftmost match in s and of
// its groups, like regexp.Regexp, or nil if there is none.
func (re *Regexp) FindStringSubmatchIndex(s string) []int {
	var room [128]*edge
	w := way{edges: room[:0]}
	at := re.groups.start
	for i := 0; ; {
		class, n := uint16(0), 1
		if i < len(s) && s[i] < utf8.RuneSelf {
			class = re.ascii[s[i]]
		} else {
			class, n = re.next(s, i)
		}
		e := at.edges[class].Load()
		if e == nil {
			e = re.groups.grow(at, class)
		}
		if e == nil {
			return re.slow().FindStringSubmatchIndex(s)
		}
		if e.match != none {
			w.last, w.end = e, i
		}
		if n == 0 || e.leads == toNothing {
			return w.groups(re.slots)
		}
		at, i = e.to, i+n
		if e.leads == toSearch {
			w.edges, w.from = w.edges[:0], i
			continue
		}
		w.edges = append(w.edges, e)
		for ; n > 1; n-- {
			w.edges = append(w.edges, nil)
		}
	}
}

// way records the path to a match.
type way struct {
	from  int     // offset in the text of the first edge
	edges []*edge // one per byte; nil inside a character
	last  *edge   // the edge that matched; nil for none
	end   int     // of the match
}

// groups follows the thread that matched back to its beginning, and returns the
// ends of the groups.
func (w *way) groups(slots int) []int {
	if w.last == nil {
		return nil
	}
	out := make([]int, slots)
	for n := range out {
		out[n] = -1
	}
	out[1] = w.end
	w.last.ended.put(out, w.end)
	for thread, i := w.last.match, w.end; thread != root; {
		i--
		e := w.edges[i-w.from]
		if e == nil {
			continue
		}
		e.set[thread].put(out, i)
		thread = e.before[thread]
	}
	return out
}

// String returns the expression.
func (re *Regexp) String() string { return re.slow().String() }
