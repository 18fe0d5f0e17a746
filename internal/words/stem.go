package words

// The stemmer is the one of SQLite's FTS5 `porter` tokenizer (M. F. Porter, "An
// algorithm for suffix stripping", 1980, with the two changes that FTS5 takes
// from the author's C version: "bli" and "logi" in step 2). The index needs to
// know which terms of a query a chunk holds, which FTS5 does not report, so the
// same stems are made here. A test compares the two over generated words.

// FTS5 does not stem shorter and longer tokens.
const (
	stemMin = 3
	stemMax = 64
)

// Stem returns the stem of a lower-cased token. Like FTS5 it works on bytes.
func Stem(token string) string {
	if len(token) < stemMin || len(token) > stemMax {
		return token
	}
	var room [stemMax + 1]byte
	b := stripPlural(append(room[:0], token...))
	b = stripPast(b)
	if n := len(b) - 1; b[n] == 'y' && hasVowel(b[:n]) {
		b[n] = 'i'
	}
	b = replaceSuffix(b, step2, moreThan0)
	b = replaceSuffix(b, step3, moreThan0)
	b = replaceSuffix(b, step4, moreThan1)
	if n := len(b) - 1; b[n] == 'e' && (moreThan1(b[:n]) || exactly1(b[:n]) && !endsShort(b[:n])) {
		b = b[:n]
	}
	if n := len(b) - 1; n > 0 && b[n] == 'l' && b[n-1] == 'l' && moreThan1(b[:n]) {
		b = b[:n]
	}
	if string(b) == token {
		return token
	}
	return string(b)
}

// suffix is a rewriting rule. If pre is set, one of its two letters must
// precede the suffix.
type suffix struct{ from, to, pre string }

// rules are the rules of one step, by the last letter of their suffix.
type rules [256][]suffix

func rulesOf(list []suffix) *rules {
	var r rules
	for _, s := range list {
		last := s.from[len(s.from)-1]
		r[last] = append(r[last], s)
	}
	return &r
}

var step2 = rulesOf([]suffix{
	{from: "ational", to: "ate"}, {from: "tional", to: "tion"}, {from: "enci", to: "ence"}, {from: "anci", to: "ance"},
	{from: "izer", to: "ize"}, {from: "logi", to: "log"}, {from: "bli", to: "ble"}, {from: "alli", to: "al"},
	{from: "entli", to: "ent"}, {from: "eli", to: "e"}, {from: "ousli", to: "ous"}, {from: "ization", to: "ize"},
	{from: "ation", to: "ate"}, {from: "ator", to: "ate"}, {from: "alism", to: "al"}, {from: "iveness", to: "ive"},
	{from: "fulness", to: "ful"}, {from: "ousness", to: "ous"}, {from: "aliti", to: "al"}, {from: "iviti", to: "ive"},
	{from: "biliti", to: "ble"},
})

var step3 = rulesOf([]suffix{
	{from: "ical", to: "ic"}, {from: "ness"}, {from: "icate", to: "ic"}, {from: "iciti", to: "ic"}, {from: "ful"},
	{from: "ative"}, {from: "alize", to: "al"},
})

var step4 = rulesOf([]suffix{
	{from: "al"}, {from: "ance"}, {from: "ence"}, {from: "er"}, {from: "ic"}, {from: "able"}, {from: "ible"},
	{from: "ant"}, {from: "ement"}, {from: "ment"}, {from: "ent"}, {from: "ion", pre: "st"}, {from: "ou"}, {from: "ism"},
	{from: "ate"}, {from: "iti"}, {from: "ous"}, {from: "ive"}, {from: "ize"},
})

// replaceSuffix applies the first rule with a suffix of b, if the rest before
// it is long enough; it does not try later rules.
func replaceSuffix(b []byte, step *rules, long func([]byte) bool) []byte {
	for _, r := range step[b[len(b)-1]] {
		n := len(b) - len(r.from)
		if n <= 0 || string(b[n:]) != r.from {
			continue
		}
		if r.pre != "" && b[n-1] != r.pre[0] && b[n-1] != r.pre[1] {
			continue
		}
		if long(b[:n]) {
			return append(b[:n], r.to...)
		}
		return b
	}
	return b
}

// stripPlural implements step 1a.
func stripPlural(b []byte) []byte {
	n := len(b)
	switch {
	case b[n-1] != 's' || b[n-2] == 's':
		return b
	case b[n-2] != 'e':
		return b[:n-1]
	case n > 4 && b[n-4] == 's' && b[n-3] == 's', n > 3 && b[n-3] == 'i':
		return b[:n-2]
	}
	return b[:n-1]
}

// stripPast implements step 1b.
func stripPast(b []byte) []byte {
	n := len(b)
	switch {
	case hasSuffix(b, "eed"):
		if moreThan0(b[:n-3]) {
			return b[:n-1]
		}
		return b
	case hasSuffix(b, "ed") && hasVowel(b[:n-2]):
		return restoreEnd(b[:n-2])
	case hasSuffix(b, "ing") && hasVowel(b[:n-3]):
		return restoreEnd(b[:n-3])
	}
	return b
}

// restoreEnd repairs the result of stripPast: "hoping" is "hope", "hopping" is
// "hop".
func restoreEnd(b []byte) []byte {
	n := len(b)
	if hasSuffix(b, "at") || hasSuffix(b, "bl") || hasSuffix(b, "iz") {
		return append(b, 'e')
	}
	switch last := b[n-1]; {
	case n > 1 && last == b[n-2] && !isVowel(last, false) && last != 'l' && last != 's' && last != 'z':
		return b[:n-1]
	case exactly1(b) && endsShort(b):
		return append(b, 'e')
	}
	return b
}

func hasSuffix(b []byte, s string) bool {
	return len(b) > len(s) && string(b[len(b)-len(s):]) == s
}

// isVowel reports whether c is a vowel; y is one after a consonant.
func isVowel(c byte, afterConsonant bool) bool {
	switch c {
	case 'a', 'e', 'i', 'o', 'u':
		return true
	case 'y':
		return afterConsonant
	}
	return false
}

// hasVowel implements the condition *v*.
func hasVowel(b []byte) bool {
	for i, c := range b {
		if isVowel(c, i > 0) {
			return true
		}
	}
	return false
}

// afterVC returns how many bytes of b the next sequence of vowels and a
// consonant takes, or 0 if there is none. It is used to count Porter's measure.
func afterVC(b []byte, consonant bool) int {
	i := 0
	for ; i < len(b); i++ {
		if consonant = !isVowel(b[i], consonant); !consonant {
			break
		}
	}
	for i++; i < len(b); i++ {
		if consonant = !isVowel(b[i], consonant); consonant {
			return i + 1
		}
	}
	return 0
}

func moreThan0(b []byte) bool { return afterVC(b, false) > 0 }

func moreThan1(b []byte) bool {
	n := afterVC(b, false)
	return n > 0 && afterVC(b[n:], true) > 0
}

func exactly1(b []byte) bool {
	n := afterVC(b, false)
	return n > 0 && afterVC(b[n:], true) == 0
}

// endsShort implements the condition *o: consonant, vowel, consonant other than
// w, x or y.
func endsShort(b []byte) bool {
	if len(b) == 0 {
		return false
	}
	if c := b[len(b)-1]; c == 'w' || c == 'x' || c == 'y' {
		return false
	}
	consonant, mask := false, 0
	for _, c := range b {
		consonant = !isVowel(c, consonant)
		mask <<= 1
		if consonant {
			mask |= 1
		}
	}
	return mask&7 == 5
}
