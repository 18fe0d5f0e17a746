package redact

import "strings"

// shortest is how many characters a value has at least to count as a secret.
const shortest = 6

// secretValue decides whether the value given to a name is a secret, or an
// ordinary word, a placeholder, or code that names a secret. rest is what
// follows it on its line.
func secretValue(value string, n *name, a assignment, rest string) bool {
	trimmed := strings.TrimRight(strings.TrimSpace(value), ".,:!?")
	if len(trimmed) < shortest || isReference(trimmed) || isPath(trimmed) || isVersion(trimmed) {
		return false
	}
	if a.quote == "" && a.equals {
		return false // a comparison with something of the code's
	}
	if strings.ContainsAny(trimmed, " \t") {
		return a.quote != "" && !isProse(trimmed)
	}
	if a.scheme && len(trimmed) >= 8 && !isPlainWord(trimmed) {
		return true
	}
	if !n.chosen {
		return isRandom(trimmed) && (a.quote != "" || !isCode(trimmed))
	}
	if a.quote != "" {
		return true
	}
	if isCode(trimmed) {
		return false
	}
	if !isPlainWord(trimmed) {
		return true
	}
	// An ordinary word: a value when it stands alone, prose when more follows.
	return a.tight || !strings.HasPrefix(rest, " ")
}

// isRandom says whether a value looks made by a machine: with digits among
// other characters, or long.
func isRandom(s string) bool {
	digits, others := 0, 0
	for i := range len(s) {
		if isDigit(s[i]) {
			digits++
		} else {
			others++
		}
	}
	return digits > 0 && others > 0 || len(s) >= 20 && others > 0 && !isPlainWord(s) && !strings.ContainsAny(s, "_-. ")
}

// isReference says whether a value only stands for a secret: a variable, a
// placeholder, a mark of ours, or nothing.
func isReference(s string) bool {
	if strings.HasPrefix(s, "[redacted") || strings.HasPrefix(s, Withheld) || strings.Trim(s, s[:1]) == "" {
		return true
	}
	for _, p := range []string{"$", "${", "{{", "%{", "#{", "<", "@@", "process.env", "import.meta", "os.environ", "os.getenv",
		"os.Getenv", "ENV[", "System.getenv", "Deno.env", "env.", "env(", "secrets.", "vars.", "var.", "...", "…", "***", "xxx", "XXX"} {
		if strings.HasPrefix(s, p) {
			// "$2b$…" is a hash, "$ecret!" a password: a variable is a name.
			if p != "$" || isVariable(s[1:]) {
				return true
			}
		}
	}
	if strings.HasPrefix(s, "%") && strings.HasSuffix(s, "%") || strings.HasPrefix(s, "%") && len(s) < 4 {
		return true
	}
	switch low := strings.ToLower(s); {
	case strings.Contains(" changeme placeholder example redacted undefined required optional string boolean number "+
		"integer function object default unknown missing disabled enabled invalid expired null none false true ", " "+low+" "):
		return true
	case strings.HasPrefix(low, "your-"), strings.HasPrefix(low, "your_"), strings.HasPrefix(low, "example-"), strings.HasPrefix(low, "<your"):
		return true
	}
	return false
}

// isVariable says whether what follows a '$' is a shell's or a template's
// variable.
func isVariable(s string) bool {
	if s == "" || s[0] == '{' || s[0] == '(' {
		return true
	}
	for i := range len(s) {
		if !isWord(s[i]) || i == 0 && isDigit(s[i]) {
			return false
		}
	}
	return true
}

// isVersion says whether a value is a range of versions, as packages name them.
func isVersion(s string) bool {
	return strings.Contains(s, ".") && strings.IndexAny(s, "^~<>=v0123456789*") == 0 && strings.Trim(s, "0123456789.^~<>=|xX*v -") == ""
}

// isPath says whether a value is a path of a file: it begins as one and its
// parts are words.
func isPath(s string) bool {
	switch {
	case strings.HasPrefix(s, "/"), strings.HasPrefix(s, "./"), strings.HasPrefix(s, "../"), strings.HasPrefix(s, "~/"):
	case len(s) > 2 && isLetter(s[0]) && s[1] == ':' && (s[2] == '\\' || s[2] == '/'):
	default:
		return false
	}
	for _, part := range strings.FieldsFunc(s, func(r rune) bool { return r == '/' || r == '\\' }) {
		var digit, upper, lower bool
		for i := range len(part) {
			digit, upper, lower = digit || isDigit(part[i]), upper || isUpper(part[i]), lower || part[i] >= 'a' && part[i] <= 'z'
			if strings.IndexByte("+=$!&*^", part[i]) >= 0 {
				return false
			}
		}
		if len(part) > 15 && digit && upper && lower {
			return false
		}
	}
	return true
}

// isCode says whether a value without quotes is an expression that names a
// secret and holds none: getToken(), req.body.password, access_token.
func isCode(s string) bool {
	if strings.ContainsAny(s, "([") && isLetter(s[0]) {
		return true
	}
	low := strings.ToLower(s)
	named := false
	for _, w := range []string{"password", "passwd", "passphrase", "secret", "token", "cred", "auth", "key", "pwd"} {
		named = named || strings.Contains(low, w)
	}
	for i := range len(s) {
		if isDigit(s[i]) || !isWord(s[i]) && s[i] != '.' {
			return false // hunter2secret is none
		}
	}
	if !isLetter(s[0]) && s[0] != '_' {
		return false
	}
	return named || strings.Contains(strings.Trim(s, "."), ".")
}

// isPlainWord says whether s is one word as prose has it: letters, at most
// the first of them a capital.
func isPlainWord(s string) bool {
	for i := range len(s) {
		if !isLetter(s[i]) || i > 0 && isUpper(s[i]) {
			return false
		}
	}
	return true
}

// isProse says whether a text with blanks is made of words.
func isProse(s string) bool {
	for _, w := range strings.Fields(s) {
		w = strings.Trim(w, ".,:;!?()\"'`")
		for i := range len(w) {
			if w[i] < 0x80 && !isLetter(w[i]) && strings.IndexByte("-'/_", w[i]) < 0 {
				if isPort(w) {
					break // a number
				}
				return false
			}
		}
	}
	return true
}
