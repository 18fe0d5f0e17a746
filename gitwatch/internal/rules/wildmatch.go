package rules

import "strings"

// Match matches a path against a glob as git does for ignore rules and
// attributes with WM_PATHNAME: ? and * stop at '/', "**" as a whole component
// crosses it, and brackets hold ranges and POSIX classes.
func Match(pattern, text string) bool {
	return glob(pattern, text, true) == globMatched
}

// globResult is the result of comparing a pattern with a text. A '*' that failed has tried every
// place in its folder, and "**" every folder, so nothing before them need be tried elsewhere.
// Therefore the time grows no faster than the lengths of both.
type globResult int

const (
	globMatched globResult = iota
	globFailed
	globStarFailed // no earlier '*' can help
	globDeepFailed // no earlier "**" can help, either
)

func glob(p, s string, start bool) globResult {
	for len(p) > 0 {
		switch p[0] {
		case '*':
			return globStar(p, s, start)
		case '?':
			if s == "" || s[0] == '/' {
				return globFailed
			}
			p, s = p[1:], s[1:]
		case '[':
			if s == "" || s[0] == '/' {
				return globFailed
			}
			ok, rest := bracket(p, s[0])
			if !ok {
				return globFailed
			}
			p, s = rest, s[1:]
		default:
			c := p[0]
			if c == '\\' && len(p) > 1 {
				p = p[1:]
				c = p[0]
			}
			if s == "" || s[0] != c {
				return globFailed
			}
			start = c == '/'
			p, s = p[1:], s[1:]
			continue
		}
		start = false
	}
	if s == "" {
		return globMatched
	}
	return globFailed
}

// globStar matches a pattern that begins with '*'. start says that the pattern is at the beginning
// of a path component.
func globStar(p, s string, start bool) globResult {
	rest := strings.TrimLeft(p, "*")
	if len(p)-len(rest) >= 2 && start && (rest == "" || rest[0] == '/') {
		return globFolders(rest, s)
	}
	for i := 0; ; i++ {
		if v := glob(rest, s[i:], false); v != globFailed {
			return v
		}
		if i == len(s) || s[i] == '/' {
			return globStarFailed
		}
	}
}

// globFolders matches the pattern after "**" at any depth.
func globFolders(rest, s string) globResult {
	if rest == "" {
		return globMatched
	}
	for {
		if v := glob(rest[1:], s, true); v == globMatched || v == globDeepFailed {
			return v
		}
		slash := strings.IndexByte(s, '/')
		if slash < 0 {
			return globDeepFailed
		}
		s = s[slash+1:]
	}
}

// bracket matches c against the bracket expression that p begins with and returns the pattern after
// it. An expression without an end matches nothing.
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
		found = found || c == lo || lo <= c && c <= hi // the ends of a range may be in either order
	}
	return false, ""
}

func bracketChar(p string) (byte, int) {
	if p[0] == '\\' && len(p) > 1 {
		return p[1], 2
	}
	return p[0], 1
}

// classes holds the POSIX classes, each as the ends of its ranges.
var classes = map[string]string{
	"alpha": "AZaz", "digit": "09", "alnum": "09AZaz", "lower": "az", "upper": "AZ", "space": "\t\r  ", "blank": "\t\t  ",
	"xdigit": "09AFaf", "cntrl": "\x00\x1f\x7f\x7f", "print": " ~", "graph": "!~", "punct": "!/:@[`{~",
}

func inClass(name string, c byte) bool {
	for ends := classes[name]; ends != ""; ends = ends[2:] {
		if ends[0] <= c && c <= ends[1] {
			return true
		}
	}
	return false
}
