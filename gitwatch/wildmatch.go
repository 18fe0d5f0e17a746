package gitwatch

import "strings"

// wildmatch matches a path against a glob as git does for ignore rules and
// attributes with WM_PATHNAME: ? and * stop at '/', "**" as a whole component
// crosses it, and brackets hold ranges and POSIX classes.
func wildmatch(pattern, text string) bool {
	m := matcher{budget: 1 << 16}
	return m.match(pattern, text, true)
}

// matcher bounds the backtracking, so that a hostile pattern such as
// "*a*a*a*a*b" costs little; past the bound nothing matches.
type matcher struct{ budget int }

func (m *matcher) match(p, s string, start bool) bool {
	for len(p) > 0 {
		if m.budget--; m.budget < 0 {
			return false
		}
		switch p[0] {
		case '*':
			return m.star(p, s, start)
		case '?':
			if s == "" || s[0] == '/' {
				return false
			}
			p, s = p[1:], s[1:]
		case '[':
			if s == "" || s[0] == '/' {
				return false
			}
			ok, rest := bracket(p, s[0])
			if !ok {
				return false
			}
			p, s = rest, s[1:]
		default:
			c := p[0]
			if c == '\\' && len(p) > 1 {
				p = p[1:]
				c = p[0]
			}
			if s == "" || s[0] != c {
				return false
			}
			start = c == '/'
			p, s = p[1:], s[1:]
			continue
		}
		start = false
	}
	return s == ""
}

// star matches a pattern that begins with '*'. start says that the pattern
// stands at the beginning of a path component.
func (m *matcher) star(p, s string, start bool) bool {
	rest := strings.TrimLeft(p, "*")
	if len(p)-len(rest) >= 2 && start && (rest == "" || rest[0] == '/') {
		if rest == "" {
			return true
		}
		if m.match(rest[1:], s, true) {
			return true
		}
		for i := 0; i < len(s); i++ {
			if s[i] == '/' && m.match(rest[1:], s[i+1:], true) {
				return true
			}
		}
		return false
	}
	for i := 0; ; i++ {
		if m.match(rest, s[i:], false) {
			return true
		}
		if i == len(s) || s[i] == '/' || m.budget < 0 {
			return false
		}
	}
}

// bracket matches c against the bracket expression p begins with and returns
// what follows it. An expression without an end matches nothing.
func bracket(p string, c byte) (bool, string) {
	i, negate, found := 1, false, false
	if i < len(p) && (p[i] == '!' || p[i] == '^') {
		negate = true
		i++
	}
	for first := true; i < len(p); first = false {
		if p[i] == ']' && !first {
			return found != negate, p[i+1:]
		}
		if strings.HasPrefix(p[i:], "[:") {
			if end := strings.Index(p[i+2:], ":]"); end >= 0 {
				found = found || inClass(p[i+2:i+2+end], c)
				i += end + 4
				continue
			}
		}
		lo, n := bracketChar(p[i:])
		i += n
		hi := lo
		if i+1 < len(p) && p[i] == '-' && p[i+1] != ']' {
			hi, n = bracketChar(p[i+1:])
			i += 1 + n
		}
		found = found || c == lo || lo <= c && c <= hi // a range may be back to front
	}
	return false, ""
}

func bracketChar(p string) (byte, int) {
	if p[0] == '\\' && len(p) > 1 {
		return p[1], 2
	}
	return p[0], 1
}

func inClass(name string, c byte) bool {
	lower, upper := c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z'
	digit := c >= '0' && c <= '9'
	switch name {
	case "alpha":
		return lower || upper
	case "digit":
		return digit
	case "alnum":
		return lower || upper || digit
	case "lower":
		return lower
	case "upper":
		return upper
	case "space":
		return c == ' ' || c >= '\t' && c <= '\r'
	case "blank":
		return c == ' ' || c == '\t'
	case "xdigit":
		return digit || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
	case "cntrl":
		return c < ' ' || c == 127
	case "print":
		return c >= ' ' && c < 127
	case "graph":
		return c > ' ' && c < 127
	case "punct":
		return c > ' ' && c < 127 && !lower && !upper && !digit
	}
	return false
}
