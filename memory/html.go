package memory

import "strings"

// swallowing are the HTML elements that, left open anywhere in a line, hide
// or fold away the text after them in common renderers.
var swallowing = []string{
	"details", "iframe", "noembed", "noframes", "plaintext", "pre", "script",
	"select", "style", "svg", "template", "textarea", "title", "xmp",
}

// opensHTML reports whether the '<' that s begins with could open an HTML
// block or a comment. At the start of a line any tag does; inside a line
// only what swallows the text behind it counts, so that List<String> in an
// ordinary summary stays as it is.
func opensHTML(s string, lineStart bool) bool {
	if len(s) < 2 {
		return false
	}
	c := s[1]
	if c == '!' || c == '?' {
		return true
	}
	letter := 'a' <= c|0x20 && c|0x20 <= 'z'
	if lineStart {
		return letter || c == '/'
	}
	if !letter {
		return false
	}
	for _, name := range swallowing {
		if len(s) > len(name) && strings.EqualFold(s[1:1+len(name)], name) &&
			(len(s) == 1+len(name) || strings.IndexByte(" \t/>", s[1+len(name)]) >= 0) {
			return true
		}
	}
	return false
}
