package redact

import "strings"

// unassigned returns the value of a name at from to till that no assignment
// gives it: prose, or the block of a Terraform variable.
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
	open := skipBlanks(block, 0)
	if open == len(block) || block[open] != '{' {
		return f, false
	}
	at, end := strings.Index(block, "default"), strings.Index(block, "}")
	if at < 0 || end >= 0 && end < at {
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

// sentenceValue returns the value that a sentence gives a name that ends at till:
// the password for the staging server is SECRET.
func sentenceValue(s string, till int, kind string) (f span, ok bool) {
	const longest = 64 // bytes between the name and the verb
	rest := s[till:min(len(s), till+longest)]
	if n := strings.IndexAny(rest, "\n.,;:()[]{}=\"'`"); n >= 0 {
		rest = rest[:n]
	}
	verb, after := verbIn(rest)
	if verb < 0 || verb > 0 && !isAbout(rest[:verb]) {
		return f, false
	}
	i := till + after
	for _, word := range []string{"now ", "still ", "set to ", "changed to "} {
		if strings.HasPrefix(s[i:], word) {
			i += len(word)
		}
	}
	if strings.HasPrefix(s[i:], ": ") {
		i += len(": ")
	}
	marks := 0
	for i < len(s) && marks < 2 && s[i] == '*' {
		i, marks = i+1, marks+1
	}
	a := assignment{quote: quoteAt(s, i)}
	a.value = i + len(a.quote)
	v := valueReader{s: s}
	f = v.value(a, kind)
	for f.end > f.start && a.quote == "" && strings.IndexByte(".,:!?*\"'", s[f.end-1]) >= 0 {
		f.end--
	}
	return f, isGivenValue(s[f.start:f.end], a)
}

// verbIn returns where the first verb that gives a value begins in a sentence
// that goes on behind a name, without the blank before it, and where it ends.
func verbIn(rest string) (start, end int) {
	start = -1
	for _, verb := range []string{" is ", " was ", " is: ", " are ", " to "} {
		if i := strings.Index(rest+" ", verb); i >= 0 && (start < 0 || i < start) {
			start, end = i, min(i+len(verb), len(rest))
		}
	}
	return start, end
}

// isAbout says whether the text between a name and the verb is about the name's
// purpose.
func isAbout(s string) bool {
	for _, word := range []string{" for ", " of ", " to ", " on ", " in ", " at ", " now", " there", " here"} {
		if strings.HasPrefix(s, word) {
			return true
		}
	}
	return false
}

// isGivenValue says whether the words after "the password is" are a password
// rather than a property of it.
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

// isTerm says whether a word with digits is one of the trade's: base64, 2FA,
// v12, 30s.
func isTerm(s string) bool {
	letters := strings.Trim(strings.ToLower(s), "0123456789")
	switch letters {
	case "", "base", "sha", "md", "hs", "rs", "es", "ps", "ed", "rsa", "aes", "utf", "oauth", "argon", "http", "ipv", "tls", "ssl", "x", "v",
		"p", "h", "k", "m", "s", "d", "ms", "min", "h1", "fa", "kb", "mb", "gb", "bit", "pbkdf", "bcrypt", "scrypt", "ripemd", "crc", "api", "level",
		"th", "nd", "rd", "st", "step", "line", "test", "win", "s3", "ec", "k8s", "i18n", "id":
		return true
	}
	return false
}
