package redact

import "strings"

// unassigned returns the value of a name at from to till that is not given by
// an assignment but in prose or in the block of a Terraform variable.
func (v *valueReader) unassigned(n *name, from, till int) (f span, ok bool) {
	if f, ok = terraformDefault(v.s, from, till, n.kind); !ok {
		f, ok = sentenceValue(v.s, till, n.kind)
	}
	if ok {
		f.end = v.runEnd(f)
		v.done = f.end
	}
	return f, ok
}

// terraformDefault returns the default of the Terraform variable with the name at
// from to till: variable "NAME" { … default = "SECRET" … }.
func terraformDefault(s string, from, till int, kind string) (f span, ok bool) {
	const before, longest = `variable `, 1024 // bytes of a block
	quote := quoteAt(s, till)
	if quote == "" || !strings.HasSuffix(s[:from], before+quote) {
		return f, false
	}
	block := s[till+len(quote) : min(len(s), till+len(quote)+longest)]
	inner, _, _ := strings.Cut(block, "}")
	at := strings.Index(inner, "default")
	if at < 0 || !strings.HasPrefix(strings.TrimLeft(block, " \t"), "{") {
		return f, false
	}
	v := valueReader{s: s}
	a, ok := v.assignment(from, till+len(quote)+at+len("default"))
	if !ok || a.quote == "" {
		return f, false
	}
	f = v.value(a, kind)
	value := s[f.start:f.end]
	return f, len(value) >= shortest && !isReference(value)
}

// sentence matches the text between a name and the value that a sentence gives
// it: " for the staging server is now ".
var sentence = lazily(`^(?:(?: (?:for|of|on|in|at) | now| there| here)[^\n.,;:()\[\]{}="'\x60]*?)?` +
	` (?:is|was|are|to)(?: (?:now |still |set to |changed to )*|\b)(?:: )?\*{0,2}`)

// sentenceValue returns the value that a sentence gives to a name that ends at
// till, as in "the password for the staging server is SECRET".
func sentenceValue(s string, till int, kind string) (f span, ok bool) {
	const longest = 96 // bytes between the name and the value
	m := sentence().FindStringSubmatchIndex(s[till:min(len(s), till+longest)])
	if m == nil {
		return f, false
	}
	a := assignment{quote: quoteAt(s, till+m[1])}
	a.value = till + m[1] + len(a.quote)
	v := valueReader{s: s}
	f = v.value(a, kind)
	for f.end > f.start && a.quote == "" && strings.IndexByte(".,:!?*\"'", s[f.end-1]) >= 0 {
		f.end--
	}
	return f, isGivenValue(s[f.start:f.end], a)
}

// isGivenValue reports whether the words after "the password is" are a password
// and not a property of it.
func isGivenValue(value string, a assignment) bool {
	if len(value) < shortest || isReference(value) || isPath(value) || strings.ContainsAny(value, " \t()") {
		return false
	}
	digits := false
	for part := range strings.FieldsFuncSeq(value, func(r rune) bool { return strings.ContainsRune("-_/.,", r) }) {
		digits = digits || strings.ContainsAny(part, "0123456789") && !isTerm(part)
	}
	if digits {
		return isRandom(value)
	}
	return a.quote != "" && !isCode(value) || strings.ContainsAny(value, "!@#$%^&*+") && !isPlainWord(strings.TrimRight(value, "!"))
}

// terms are technical words with digits, written here without the digits:
// base64, 2FA, v12, 30s.
const terms = "  base sha md hs rs es ps ed rsa aes utf oauth argon http ipv tls ssl x v p h k m s d ms min h fa kb mb gb bit pbkdf bcrypt " +
	"scrypt ripemd crc api level th nd rd st step line test win ec k8s i18n id "

func isTerm(s string) bool {
	return strings.Contains(terms, " "+strings.Trim(strings.ToLower(s), "0123456789")+" ")
}
