package redact

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// shortest bounds the length of a secret value in bytes.
const shortest = 6

// secretValue reports whether the value assigned to a name is a secret, and not
// an ordinary word, a placeholder, or code that names a secret. rest is the
// rest of its line.
func secretValue(value string, n *name, a assignment, rest string) bool {
	trimmed := strings.TrimRight(strings.TrimSpace(value), ".,:!?")
	if len(trimmed) < shortest || isReference(trimmed) || isPath(trimmed) || isVersion(trimmed) {
		return false
	}
	if a.quote == "" && a.equals {
		return false // a comparison with another value in code
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
	// An ordinary word is a value if it is the last one, and prose if more
	// words follow.
	return a.tight || !strings.HasPrefix(rest, " ")
}

// isRandom reports whether a value looks generated: with digits among other
// characters, or long.
func isRandom(s string) bool {
	return !all(s, isDigit) && (!none(s, isDigit) || len(s) >= 20 && !isPlainWord(s) && !strings.ContainsAny(s, "_-. "))
}

// isReference reports whether a value only refers to a secret: it is a
// variable, a placeholder, a mark of this package, or empty.
func isReference(s string) bool {
	if strings.HasPrefix(s, "[redacted") || strings.HasPrefix(s, Withheld) || strings.Trim(s, s[:1]) == "" {
		return true
	}
	if hasReferencePrefix(s) {
		return true
	}
	if strings.HasPrefix(s, "%") && strings.HasSuffix(s, "%") || strings.HasPrefix(s, "%") && len(s) < 4 {
		return true
	}
	if all(s, func(c byte) bool { return isLetter(c) || c == ' ' || c >= utf8.RuneSelf }) && strings.Contains(" changeme placeholder example redacted "+
		"undefined required optional string boolean number integer function object default unknown missing disabled enabled invalid expired "+
		"null none false true ", " "+strings.ToLower(s)+" ") {
		return true
	}
	const longest = len("example-")
	return strings.IndexByte("<yYeE", s[0]) >= 0 && hasAnyPrefix(strings.ToLower(s[:min(len(s), longest)]), "your-", "your_", "example-", "<your")
}

func hasAnyPrefix(s string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s, p) })
}

// references lists prefixes of names of variables, and placeholders.
var references = []string{"$", "${", "{{", "%{", "#{", "<", "@@", "process.env", "import.meta", "os.environ", "os.getenv",
	"os.Getenv", "ENV[", "System.getenv", "Deno.env", "env.", "env(", "secrets.", "vars.", "var.", "...", "…", "***", "xxx", "XXX"}

// referenceStarts holds their first bytes.
var referenceStarts = func() (set [256]bool) {
	for _, p := range references {
		set[p[0]] = true
	}
	return set
}()

func hasReferencePrefix(s string) bool {
	if !referenceStarts[s[0]] {
		return false
	}
	for _, p := range references {
		if strings.HasPrefix(s, p) {
			// "$2b$…" is a hash and "$ecret!" a password: a variable has a
			// name.
			if p != "$" || isVariable(s[1:]) {
				return true
			}
		}
	}
	return false
}

// isVariable reports whether the text after a '$' is the name of a variable of
// a shell or a template.
func isVariable(s string) bool {
	return s == "" || s[0] == '{' || s[0] == '(' || !isDigit(s[0]) && all(s, isWord)
}

// isVersion reports whether a value is a range of versions, as in lists of
// packages.
func isVersion(s string) bool {
	return strings.Contains(s, ".") && strings.IndexAny(s, "^~<>=v0123456789*") == 0 && strings.Trim(s, "0123456789.^~<>=|xX*v -") == ""
}

// isPath reports whether a value is the path of a file: it begins like one and
// its parts are words.
func isPath(s string) bool {
	switch {
	case strings.HasPrefix(s, "/"), strings.HasPrefix(s, "./"), strings.HasPrefix(s, "../"), strings.HasPrefix(s, "~/"):
	case len(s) > 2 && isLetter(s[0]) && s[1] == ':' && (s[2] == '\\' || s[2] == '/'):
	default:
		return false
	}
	random := func(part string) bool {
		return len(part) > 15 && !none(part, isDigit) && !none(part, isUpper) && !none(part, isLower)
	}
	return !strings.ContainsAny(s, "+=$!&*^") && !slices.ContainsFunc(strings.FieldsFunc(s, func(r rune) bool { return r == '/' || r == '\\' }), random)
}

// isCode reports whether a value without quotes is an expression that refers to
// a secret and does not contain one: getToken(), req.body.password,
// access_token.
func isCode(s string) bool {
	if strings.ContainsAny(s, "([") && isLetter(s[0]) {
		return true
	}
	if s[0] == '.' || !all(s, func(c byte) bool { return isWord(c) && !isDigit(c) || c == '.' }) {
		return false // for example hunter2secret
	}
	return strings.Contains(strings.Trim(s, "."), ".") || containsAny(strings.ToLower(s),
		"password", "passwd", "passphrase", "secret", "token", "cred", "auth", "key", "pwd")
}

// isPlainWord reports whether s is one word of prose: letters, with at most the
// first one a capital.
func isPlainWord(s string) bool {
	return s == "" || isLetter(s[0]) && all(s[1:], isLower)
}

// isProse reports whether a text with blanks consists of words.
func isProse(s string) bool {
	for _, w := range strings.Fields(s) {
		w = strings.Trim(w, ".,:;!?()\"'`")
		if !isPort(w) && !all(w, func(c byte) bool { return c >= 0x80 || isLetter(c) || strings.IndexByte("-'/_", c) >= 0 }) {
			return false
		}
	}
	return true
}

// all reports whether every byte of s is of a kind.
func all(s string, kind func(byte) bool) bool {
	for i := range len(s) {
		if !kind(s[i]) {
			return false
		}
	}
	return true
}

func none(s string, kind func(byte) bool) bool {
	return all(s, func(c byte) bool { return !kind(c) })
}

func containsAny(s string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(s, w) })
}

// isBreak reports whether a byte ends a run that may contain a token.
func isBreak(c byte) bool { return c <= ' ' || c == '"' || c == '\'' || c == '`' }

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

func isWord(c byte) bool { return c == '_' || isDigit(c) || isLetter(c) }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isLower(c byte) bool { return c >= 'a' && c <= 'z' }

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

func isHex(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

// isNameByte reports whether a byte can be part of an identifier.
func isNameByte(c byte) bool { return isWord(c) || c == '-' || c == '.' }
