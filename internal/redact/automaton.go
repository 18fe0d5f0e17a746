package redact

// automaton finds every occurrence of many words in one pass over a text,
// whatever the ASCII letter case (Aho and Corasick, 1975).
type automaton struct {
	class   [256]uint8 // byte to column; 0 for bytes in no word
	columns int
	next    []int32   // state*columns + column
	words   [][]int32 // state to the words that end there
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
	return a
}

// grow adds a state.
func (a *automaton) grow() {
	a.next = append(a.next, make([]int32, a.columns)...)
	a.words = append(a.words, nil)
}

// link fills in, breadth first, where each state goes on when its word does
// not: to the state of the longest suffix that begins a word.
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
		for _, w := range a.words[state] {
			found(w, i+1-a.lengths[w], i+1)
		}
	}
}

// contains says whether s holds any of the words.
func (a *automaton) contains(s string) bool {
	state := int32(0)
	for i := range len(s) {
		state = a.next[int(state)*a.columns+int(a.class[s[i]])]
		if len(a.words[state]) > 0 {
			return true
		}
	}
	return false
}
