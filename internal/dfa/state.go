package dfa

import (
	"encoding/binary"
	"math/bits"
	"regexp/syntax"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
)

// state is the state of a Pike VM between two characters.
type state struct {
	before  rune                   // represents the kind of the character before: see kind
	search  bool                   // no match so far, so a match may begin here
	threads []uint32               // instructions that continue, by priority
	edges   []atomic.Pointer[edge] // by class; nil if not made yet
	into    edge                   // the edge to this state if groups do not count
}

// edge leads from one state to another over the characters of a class, or over
// the end of the text.
type edge struct {
	to    *state
	leads lead
	match thread // the thread that matched before the character, or none
	ended slots  // slots that this thread set there

	before []thread // for each thread of to: the thread of the previous state that it came from
	set    []slots  // for each thread of to: the slots that it set before the character
}

// lead is the kind of the state that an edge leads to.
type lead uint8

const (
	toThreads lead = iota
	toSearch       // no thread has begun
	toNothing      // no match is possible any more
)

func (st *state) lead() lead {
	switch {
	case len(st.threads) > 0:
		return toThreads
	case st.search:
		return toSearch
	}
	return toNothing
}

// thread is the index of a thread in its state.
type thread uint16

const (
	root thread = 1<<16 - 1 - iota // the thread began here
	none
)

// slots is a set of ends of groups.
type slots uint64

// put records an offset for those slots that have none yet. Since the path is
// followed backwards, the last offset counts.
func (set slots) put(out []int, at int) {
	for ; set != 0; set &= set - 1 {
		if n := bits.TrailingZeros64(uint64(set)); out[n] < 0 {
			out[n] = at
		}
	}
}

// Kinds of characters that an assertion distinguishes.
const (
	textBegin  rune = -1
	lineEnd    rune = '\n'
	wordLetter rune = 'a'
	other      rune = ' '
)

func kind(r rune) rune {
	switch {
	case r == '\n':
		return lineEnd
	case syntax.IsWordChar(r):
		return wordLetter
	}
	return other
}

// automaton holds the states reached so far. States and edges do not change
// once another goroutine can reach them.
type automaton struct {
	re     *Regexp
	groups bool // threads are ordered, and edges record where they come from
	start  *state

	mu     sync.Mutex // guards the fields below
	states map[string]*state
	bytes  int64
	full   bool // no more edges
}

// used counts the bytes of the states of all automata.
var used atomic.Int64

func (a *automaton) init(re *Regexp, full, groups bool) {
	a.re, a.full, a.groups, a.states = re, full, groups, map[string]*state{}
	a.start = a.state(textBegin, true, nil)
}

// grow returns the edge of a class, or nil if there is no room for it.
func (a *automaton) grow(from *state, class uint16) *edge {
	a.mu.Lock()
	defer a.mu.Unlock()
	if e := from.edges[class].Load(); e != nil {
		return e
	}
	if a.full || a.bytes > MaxBytes || used.Load() > MaxBytesOfAll {
		a.full = true
		return nil
	}
	e := a.edge(from, class)
	from.edges[class].Store(e)
	return e
}

// edge makes an edge. If groups do not count, all edges to a state are the
// same.
func (a *automaton) edge(from *state, class uint16) *edge {
	s := step{re: a.re, next: -1, e: &edge{match: none}}
	if int(class) < len(a.re.bounds) {
		s.next = a.re.bounds[class]
	}
	threads := s.take(from)
	if !a.groups {
		if s.e.match != none {
			return &matched
		}
		slices.Sort(threads)
	}
	to := a.state(kind(s.next), from.search && s.e.match == none && !a.re.anchored, threads)
	if !a.groups {
		return &to.into
	}
	s.e.to, s.e.leads = to, to.lead()
	a.count(int(unsafe.Sizeof(*s.e)) + len(threads)*int(unsafe.Sizeof(root)+unsafe.Sizeof(s.e.ended)))
	return s.e
}

// matched ends a match if groups do not count.
var matched = edge{match: root}

// state returns the state with these properties, and creates it if necessary.
func (a *automaton) state(before rune, search bool, threads []uint32) *state {
	key := binary.AppendVarint(nil, int64(before))
	if search {
		key = append(key, 's')
	}
	for _, pc := range threads {
		key = binary.BigEndian.AppendUint32(key, pc)
	}
	if st := a.states[string(key)]; st != nil {
		return st
	}
	st := &state{before: before, search: search, threads: threads, edges: make([]atomic.Pointer[edge], len(a.re.bounds)+1)}
	st.into = edge{to: st, leads: st.lead(), match: none}
	a.states[string(key)] = st
	a.count(2*len(key) + len(st.edges)*int(unsafe.Sizeof(st.edges[0])) + int(unsafe.Sizeof(*st)))
	return st
}

func (a *automaton) count(n int) {
	a.bytes += int64(n)
	used.Add(int64(n))
}

// step makes an edge: it runs the threads of a state up to the next character
// and over it.
type step struct {
	re    *Regexp
	next  rune // -1 at the end of the text
	holds syntax.EmptyOp
	e     *edge
	seen  []bool // by instruction: a thread of higher priority reached it
	taken []bool // by instruction: a thread continues there
	out   []uint32
}

// take returns the threads of the next state.
func (s *step) take(from *state) []uint32 {
	s.holds = syntax.EmptyOpContext(from.before, s.next)
	s.seen, s.taken = make([]bool, len(s.re.prog.Inst)), make([]bool, len(s.re.prog.Inst))
	for n, pc := range from.threads {
		if s.follow(pc, thread(n), 0) {
			return s.out
		}
	}
	if from.search {
		s.follow(uint32(s.re.prog.Start), root, 1)
	}
	return s.out
}

// follow runs one thread and reports whether it matches, in which case threads
// of lower priority are dropped.
func (s *step) follow(pc uint32, from thread, set slots) bool {
	if s.seen[pc] {
		return false
	}
	s.seen[pc] = true
	switch inst := &s.re.prog.Inst[pc]; inst.Op {
	case syntax.InstAlt, syntax.InstAltMatch:
		return s.follow(inst.Out, from, set) || s.follow(inst.Arg, from, set)
	case syntax.InstCapture:
		return s.follow(inst.Out, from, set|1<<inst.Arg)
	case syntax.InstEmptyWidth:
		return syntax.EmptyOp(inst.Arg)&^s.holds == 0 && s.follow(inst.Out, from, set)
	case syntax.InstNop:
		return s.follow(inst.Out, from, set)
	case syntax.InstMatch:
		s.e.match, s.e.ended = from, set
		return true
	case syntax.InstFail:
	default:
		if s.next >= 0 && !s.taken[inst.Out] && inst.MatchRune(s.next) {
			s.taken[inst.Out] = true
			s.out = append(s.out, inst.Out)
			s.e.before, s.e.set = append(s.e.before, from), append(s.e.set, set)
		}
	}
	return false
}
