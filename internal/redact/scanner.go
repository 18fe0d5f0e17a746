package redact

import "strings"

// scanner finds secrets. It finds its words, gitleaks' keywords and our own, in
// one pass, and examines only the text around them. It does not change after
// newScanner.
type scanner struct {
	set     *ruleset
	words   *automaton
	finders [][]finder // by word
}

// finder looks for a secret around a word at start to end.
type finder func(p *pass, start, end int) (span, bool)

// inText adapts a function that needs only the text to a finder.
func inText(find func(s string, start, end int) (span, bool)) finder {
	return func(p *pass, start, end int) (span, bool) { return find(p.s, start, end) }
}

func newScanner(extra []string) (*scanner, error) {
	set, err := defaultRules()
	if err != nil {
		return nil, err
	}
	sc := &scanner{set: set}
	var words []string
	number := make(map[string]int)
	add := func(word string, f finder) {
		i, ok := number[word]
		if !ok {
			i = len(words)
			number[word] = i
			words = append(words, word)
			sc.finders = append(sc.finders, nil)
		}
		sc.finders[i] = append(sc.finders[i], f)
	}
	for _, k := range set.keywords {
		add(k.word, func(p *pass, start, end int) (span, bool) { return p.keyword(&k, start, end) })
	}
	for _, n := range secretNames(extra) {
		add(n.word, func(p *pass, start, end int) (span, bool) { return p.values.after(&n, start, end) })
	}
	for _, t := range tokens {
		add(strings.ToLower(t.prefix), inText(t.at))
	}
	for _, c := range programs {
		add(c.name, inText(c.password))
	}
	add("://", inText(urlPassword))
	add(pemWord, (*pass).keyMark)
	add("cookie", (*pass).cookie)
	add("bearer", inText(bearerToken))
	add("machine", inText(netrcPassword))
	add("default login", inText(netrcPassword))
	add("|", inText(appToken))
	sc.words = newAutomaton(words)
	return sc, nil
}

// scan returns the secrets in s.
func (sc *scanner) scan(s string) []span {
	p := pass{
		scanner: sc, s: s, values: valueReader{s: s},
		regions: make([][]region, len(sc.set.rules)), next: make([]int, len(sc.set.rules)),
	}
	sc.words.scan(s, func(word int32, start, end int) {
		for _, find := range sc.finders[word] {
			if f, ok := find(&p, start, end); ok {
				p.found = append(p.found, f)
			}
		}
	})
	for i := range sc.set.rules {
		p.found = append(p.found, sc.set.rules[i].match(s, p.regions[i])...)
	}
	return append(p.found, keySpans(s, p.marks)...)
}

// pass is the state of one scan of a text.
type pass struct {
	*scanner
	s       string
	found   []span
	values  valueReader
	marks   []pemMark
	regions [][]region // by rule: the regions where it is still to be tried
	next    []int      // by rule: names before this offset are done
	cookies int        // cookies before this offset are done
}

// keyMark records the marker of a private key.
func (p *pass) keyMark(start, end int) (none span, found bool) {
	if m, ok := pemMarkAt(p.s, start, end); ok {
		p.marks = append(p.marks, m)
	}
	return none, false
}

// cookie adds the values of a header's cookies, unless an earlier word of the
// header already did.
func (p *pass) cookie(start, end int) (none span, found bool) {
	if start >= p.cookies {
		var values []span
		values, p.cookies = cookieValues(p.s, start, end)
		p.found = append(p.found, values...)
	}
	return none, false
}

// keyword tries a rule immediately, or records the region for it.
func (p *pass) keyword(k *keyword, start, end int) (f span, ok bool) {
	r := &p.set.rules[k.rule]
	switch {
	case r.everyword:
		p.regions[k.rule] = []region{{0, len(p.s)}}
	case !k.named:
		p.regions[k.rule] = r.addRegion(p.regions[k.rule], p.s, start, end)
	case start >= p.next[k.rule]:
		var next int
		if f, next, ok = r.matchName(p.s, start, end); next > 0 {
			p.next[k.rule] = next
		}
	}
	return f, ok
}

// line returns the line of s that contains start to end, at most 512 bytes to
// either side.
func line(s string, start, end int) string {
	from := strings.LastIndexByte(s[max(0, start-512):start], '\n') + 1 + max(0, start-512)
	till := strings.IndexByte(s[end:min(len(s), end+512)], '\n')
	if till < 0 {
		till = min(len(s), end+512) - end
	}
	return s[from : end+till]
}

// automaton finds every occurrence of many words in one pass over a text,
// ignoring ASCII letter case (Aho and Corasick, 1975).
type automaton struct {
	class   [256]uint8 // byte to column; 0 for bytes in no word
	columns int
	next    []int32   // state*columns + column
	words   [][]int32 // words that end in each state
	ends    []bool    // whether any word ends in each state; a small table, because it is read for every byte
	lengths []int
}

// newAutomaton builds an automaton for lower-case words.
func newAutomaton(words []string) *automaton {
	a := &automaton{columns: 1}
	for _, w := range words {
		a.lengths = append(a.lengths, len(w))
		for i := range len(w) {
			if a.class[w[i]] == 0 {
				a.class[w[i]] = uint8(a.columns)
				a.columns++
			}
		}
	}
	for c := byte('a'); c <= 'z'; c++ {
		a.class[c-'a'+'A'] = a.class[c]
	}
	a.grow()
	for id, w := range words {
		state := int32(0)
		for i := range len(w) {
			to := &a.next[int(state)*a.columns+int(a.class[w[i]])]
			if *to == 0 {
				*to = int32(len(a.words))
				a.grow()
				to = &a.next[int(state)*a.columns+int(a.class[w[i]])]
			}
			state = *to
		}
		a.words[state] = append(a.words[state], int32(id))
	}
	a.link()
	a.ends = make([]bool, len(a.words))
	for state := range a.ends {
		a.ends[state] = len(a.words[state]) > 0
	}
	return a
}

// grow adds a state.
func (a *automaton) grow() {
	a.next = append(a.next, make([]int32, a.columns)...)
	a.words = append(a.words, nil)
}

// link sets, breadth first, the next state for bytes that do not continue the
// word of a state: the state of the longest suffix that begins a word.
func (a *automaton) link() {
	fail := make([]int32, len(a.words))
	var queue []int32
	for c := range a.columns {
		if to := a.next[c]; to != 0 {
			queue = append(queue, to)
		}
	}
	for len(queue) > 0 {
		state := queue[0]
		queue = queue[1:]
		row := a.next[int(state)*a.columns : (int(state)+1)*a.columns]
		back := a.next[int(fail[state])*a.columns : (int(fail[state])+1)*a.columns]
		for c, to := range row {
			if to == 0 {
				row[c] = back[c]
				continue
			}
			fail[to] = back[c]
			a.words[to] = append(a.words[to], a.words[back[c]]...)
			queue = append(queue, to)
		}
	}
}

// scan reports each occurrence of a word: its number, start and end.
func (a *automaton) scan(s string, found func(word int32, start, end int)) {
	state, columns := int32(0), a.columns
	for i := range len(s) {
		state = a.next[int(state)*columns+int(a.class[s[i]])]
		if !a.ends[state] {
			continue
		}
		for _, w := range a.words[state] {
			found(w, i+1-a.lengths[w], i+1)
		}
	}
}

// contains reports whether s contains one of the words.
func (a *automaton) contains(s string) bool {
	state := int32(0)
	for i := range len(s) {
		state = a.next[int(state)*a.columns+int(a.class[s[i]])]
		if a.ends[state] {
			return true
		}
	}
	return false
}
