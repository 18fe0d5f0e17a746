package redact

import "strings"

// scanner finds secrets. Its words, those of gitleaks' rules and our own,
// are found in one pass; only what stands around them is looked at closely.
// It is not changed after newScanner.
type scanner struct {
	set   *ruleset
	words *automaton
	uses  [][]use // by word
	names []name
}

// use is what an occurrence of a word means.
type use struct {
	by    reader
	index int // into what the reader says
}

type reader int

const (
	byRule reader = iota // index into set.keywords
	byName               // index into names
	byURL
	byPEM
	byToken   // index into tokens
	byCommand // index into programs
	byCookie
	byNetrc
	byAppToken
)

func newScanner(extra []string) (*scanner, error) {
	set, err := defaultRules()
	if err != nil {
		return nil, err
	}
	sc := &scanner{set: set, names: secretNames(extra)}
	var words []string
	number := make(map[string]int)
	add := func(word string, u use) {
		i, ok := number[word]
		if !ok {
			i = len(words)
			number[word] = i
			words = append(words, word)
			sc.uses = append(sc.uses, nil)
		}
		sc.uses[i] = append(sc.uses[i], u)
	}
	for i, k := range set.keywords {
		add(k.word, use{byRule, i})
	}
	for i, n := range sc.names {
		add(n.word, use{byName, i})
	}
	for i, t := range tokens {
		add(strings.ToLower(t.prefix), use{byToken, i})
	}
	for i, p := range programs {
		add(p.name, use{byCommand, i})
	}
	add("://", use{by: byURL})
	add(pemWord, use{by: byPEM})
	add("cookie", use{by: byCookie})
	add("machine", use{by: byNetrc})
	add("default login", use{by: byNetrc})
	add("|", use{by: byAppToken})
	sc.words = newAutomaton(words)
	return sc, nil
}

// scan returns what is secret in s.
func (sc *scanner) scan(s string) []span {
	p := pass{
		scanner: sc, s: s, values: valueReader{s: s},
		regions: make([][]region, len(sc.set.rules)), next: make([]int, len(sc.set.rules)),
	}
	sc.words.scan(s, func(word int32, start, end int) {
		for _, u := range sc.uses[word] {
			p.word(u, start, end)
		}
	})
	for i := range sc.set.rules {
		p.found = append(p.found, sc.match(&sc.set.rules[i], s, p.regions[i])...)
	}
	return append(p.found, keySpans(s, p.marks)...)
}

// pass is one look at a text.
type pass struct {
	*scanner
	s       string
	found   []span
	values  valueReader
	marks   []pemMark
	regions [][]region // by rule: where it is still to be tried
	next    []int      // by rule: names before this are done
	cookies int        // cookies before this are done
}

// word looks at what stands around one word.
func (p *pass) word(u use, start, end int) {
	var f span
	var ok bool
	switch u.by {
	case byRule:
		f, ok = p.keyword(&p.set.keywords[u.index], start, end)
	case byName:
		f, ok = p.values.after(&p.names[u.index], start, end)
	case byURL:
		f, ok = urlPassword(p.s, start, end)
	case byPEM:
		if m, ok := pemMarkAt(p.s, start, end); ok {
			p.marks = append(p.marks, m)
		}
	case byToken:
		f, ok = tokens[u.index].at(p.s, start, end)
	case byCommand:
		f, ok = programs[u.index].password(p.s, start, end)
	case byCookie:
		p.cookie(start, end)
	case byNetrc:
		f, ok = netrcPassword(p.s, start, end)
	case byAppToken:
		f, ok = appToken(p.s, start, end)
	}
	if ok {
		p.found = append(p.found, f)
	}
}

// cookie takes the values of a header's cookies, unless an earlier word of the
// header has.
func (p *pass) cookie(start, end int) {
	if start >= p.cookies {
		var found []span
		found, p.cookies = cookieValues(p.s, start, end)
		p.found = append(p.found, found...)
	}
}

// keyword tries a rule at once, or notes where to.
func (p *pass) keyword(k *keyword, start, end int) (f span, ok bool) {
	r := &p.set.rules[k.rule]
	switch {
	case r.everyword:
		p.regions[k.rule] = []region{{0, len(p.s)}}
	case !k.named:
		p.regions[k.rule] = r.addRegion(p.regions[k.rule], p.s, start, end)
	case start >= p.next[k.rule]:
		var next int
		if f, next, ok = p.matchName(r, p.s, start, end); next > 0 {
			p.next[k.rule] = next
		}
	}
	return f, ok
}

// line returns the line of s that holds start to end, at most 512 bytes to
// either side.
func line(s string, start, end int) string {
	from := strings.LastIndexByte(s[max(0, start-512):start], '\n') + 1 + max(0, start-512)
	till := strings.IndexByte(s[end:min(len(s), end+512)], '\n')
	if till < 0 {
		till = min(len(s), end+512) - end
	}
	return s[from : end+till]
}
