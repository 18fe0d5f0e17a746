package words

import "strings"

// Limits for the words that are checked for misspellings. Four of five typing
// errors are one edit away from the intended word (F. J. Damerau, "A technique
// for computer detection and correction of spelling errors", 1964), and the
// first letter is nearly always right.
const (
	misspeltMin = 5  // letters; shorter words are near too many others
	misspeltMax = 16 // letters; limits the number of look-ups
	vowelMin    = 6  // letters of a word that may have a wrong vowel
	letterMin   = 7  // letters of a word that may have any likely edit
	twoSlipMin  = 8  // letters of a word that may have two slips
)

// MayBeMisspelt reports whether a lower-cased word consists of plain letters
// and has a length for which Edits is useful.
func MayBeMisspelt(w string) bool {
	return len(w) >= misspeltMin && len(w) <= misspeltMax && isLetters(w)
}

func isLetters(s string) bool {
	for i := range len(s) {
		if s[i] < 'a' || s[i] > 'z' {
			return false
		}
	}
	return true
}

// StandsIn reports whether a lower-cased text contains a word or its plural.
func StandsIn(text, word string) bool {
	in := func(s string) bool { return s != "" && s[0] != '_' && IsWord(rune(s[0])) }
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return false
		}
		at += i + len(word)
		if !in(strings.TrimPrefix(text[at:], "s")) && (at == len(word) || !in(text[at-len(word)-1:])) {
			return true
		}
	}
}

// Edits returns the words one likely edit away from w: its slips and, in longer
// words, a vowel or a letter left out, added, or mistaken for one that sounds
// similar or is next to it on the keyboard. It tries fewer edits for short
// words, which are near too many others.
func Edits(w string) []string {
	out := slips(w)
	if len(w) < vowelMin {
		return out
	}
	add := func(typed, meant byte, variant string) {
		if len(w) >= letterMin || isVowel(typed, true) && isVowel(meant, true) {
			out = append(out, variant)
		}
	}
	for i := 1; i <= len(w); i++ {
		for l := byte('a'); l <= 'z'; l++ {
			add(l, l, w[:i]+string(rune(l))+w[i:])
			if i < len(w) && mistaken(w[i], l) {
				add(w[i], l, w[:i]+string(rune(l))+w[i+1:])
			}
		}
		if i < len(w) {
			add(w[i], w[i], w[:i]+w[i+1:])
		}
	}
	return out
}

// keys lists the rows of a keyboard.
const keys = "qwertyuiop asdfghjkl zxcvbnm"

func mistaken(a, b byte) bool {
	return a != b && (isVowel(a, true) && isVowel(b, true) ||
		strings.Contains(keys, string([]byte{a, b})) || strings.Contains(keys, string([]byte{b, a})))
}

// TwoSlips returns the words two slips away. It returns none for a short word,
// which is near too many others.
func TwoSlips(w string) []string {
	if len(w) < twoSlipMin {
		return nil
	}
	var out []string
	for i := range len(w) {
		for _, once := range slipsAt(w, i) {
			for j := i + 1; j < len(once); j++ {
				out = append(out, slipsAt(once, j)...)
			}
		}
	}
	return out
}

// slips returns the words one slip away.
func slips(w string) []string {
	var out []string
	for i := range len(w) {
		out = append(out, slipsAt(w, i)...)
	}
	return out
}

// slipsAt returns the words with one slip at a place: neighbours swapped, a
// letter doubled, a double letter single, and s for z, as in "authorise".
func slipsAt(w string, i int) []string {
	out := []string{w[:i+1] + w[i:]}
	switch w[i] {
	case 's':
		out = append(out, w[:i]+"z"+w[i+1:])
	case 'z':
		out = append(out, w[:i]+"s"+w[i+1:])
	}
	switch {
	case i+1 == len(w):
	case w[i] == w[i+1]:
		out = append(out, w[:i]+w[i+1:])
	default:
		out = append(out, w[:i]+w[i+1:i+2]+w[i:i+1]+w[i+2:])
	}
	return out
}
