package markdown

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"agentflow/memory"
	"agentflow/memory/internal/outline"
)

// Text from outside is written so that people can read it, any Markdown program can render it, and
// Parse reads back the same bytes. The rules for a value:
//
//   - Its first line comes after its label, later lines are indented by two spaces, and an empty
//     line inside it is an empty line.
//   - Newlines at its two ends, blanks that an editor would trim, control and bidirectional
//     characters and bytes that are not UTF-8 are written as \xHH.
//   - A backslash before one of escapable prevents its reading as structure. A backslash that would
//     be read as such an escape by accident is doubled.
//
// Therefore only Format writes anything in column 0.

// escapable lists the bytes that a backslash may escape, besides x with two hexadecimal digits.
const escapable = "\\`*<>#-=~"

// place describes where the first line of a value is.
type place struct {
	start  bool // it begins a line or a bullet, so Markdown reads block structure in it
	fences bool // code fences that are closed within the value need no escape
}

// escapeText writes a value of any number of lines.
func escapeText(s string, at place) string {
	core := strings.TrimLeft(s, "\n")
	lead := len(s) - len(core)
	core = strings.TrimRight(core, "\n")
	trail := len(s) - lead - len(core)
	var w escaper
	w.b.Grow(len(s) + len(s)/16 + 8)
	w.newlines(lead)
	if core != "" {
		lines := strings.Split(core, "\n")
		start := at.start && lead == 0
		fences := at.fences && outline.FencesClosed(lines, start)
		for i, line := range lines {
			if i > 0 {
				w.raw("\n")
				if line != "" {
					w.raw("  ")
				}
			}
			w.line(line, lineRules{start: i > 0 || start, first: i == 0 && lead == 0, fences: fences})
		}
	}
	w.newlines(trail)
	return w.b.String()
}

// escapeInline writes a value that must stay on one line.
func escapeInline(s string) string { return escapeWithout(s, "") }

// escapeWithout is escapeInline for a value that must not hold some ASCII bytes.
func escapeWithout(s, bytes string) string {
	w := escaper{barred: bytes}
	for i, line := range strings.Split(s, "\n") {
		if i > 0 {
			w.newlines(1)
		}
		w.line(line, lineRules{first: i == 0})
	}
	return w.b.String()
}

// lineRules says what must be escaped in one line.
type lineRules struct {
	start  bool // block structure is possible here
	first  bool // the line follows a label: blanks before it would be trimmed
	fences bool // fence lines need no escape
}

// escaper builds an escaped value. lone is set while the last byte is a literal backslash.
type escaper struct {
	b      strings.Builder
	lone   bool
	barred string // bytes that are always \xHH
}

func (w *escaper) raw(s string) {
	w.b.WriteString(s)
	w.lone = false
}

func (w *escaper) newlines(n int) {
	for range n {
		w.hex('\n')
	}
}

// escaped and hex begin with a backslash. guard keeps a lone backslash before it from changing its
// meaning.
func (w *escaper) escaped(c byte) {
	w.guard()
	w.b.WriteByte('\\')
	w.b.WriteByte(c)
}

func (w *escaper) hex(c byte) {
	w.guard()
	fmt.Fprintf(&w.b, `\x%02X`, c)
}

func (w *escaper) guard() {
	if w.lone {
		w.b.WriteByte('\\')
		w.lone = false
	}
}

// line writes one line without a newline.
func (w *escaper) line(s string, r lineRules) {
	indent := len(s) - len(strings.TrimLeft(s, " \t"))
	structure := -1
	if r.start && blockStructure(s[indent:], r.fences) {
		structure = indent
	}
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			w.ascii(s, i, r, structure)
			i++
			continue
		}
		ru, n := utf8.DecodeRuneInString(s[i:])
		if (ru == utf8.RuneError && n == 1) || memory.Unsafe(ru) {
			for _, c := range []byte(s[i : i+n]) {
				w.hex(c)
			}
		} else {
			w.raw(s[i : i+n])
		}
		i += n
	}
}

func (w *escaper) ascii(s string, i int, r lineRules, structure int) {
	c := s[i]
	switch {
	case strings.IndexByte(w.barred, c) >= 0:
		w.hex(c)
	case c == '\\':
		w.guard()
		w.b.WriteByte(c)
		w.lone = true
	case c == ' ' || c == '\t':
		if (r.first && i == 0) || i == len(s)-1 {
			w.hex(c)
		} else {
			w.raw(s[i : i+1])
		}
	case c < ' ' || c == 0x7f:
		w.hex(c)
	case i == structure,
		c == '<' && opensHTML(s[i:], r.start && strings.TrimLeft(s[:i], " \t") == ""),
		c == '>' && i >= 2 && s[i-2:i] == "--":
		w.escaped(c)
	default:
		hex := false
		if c == 'x' && w.lone {
			_, hex = hexByte(s[i+1:])
		}
		if hex || strings.IndexByte(escapable, c) >= 0 {
			w.guard()
		}
		w.raw(s[i : i+1])
	}
}

// blockStructure reports whether a renderer, or our parser, could take a line that begins with s,
// after blanks, for a heading, a rule or a fence.
func blockStructure(s string, fences bool) bool {
	if s == "" {
		return false
	}
	switch s[0] {
	case '#':
		rest := strings.TrimLeft(s, "#")
		return rest == "" || rest[0] == ' ' || rest[0] == '\t'
	case '-', '=':
		return strings.Trim(s, s[:1]+" \t") == ""
	case '`', '~':
		return !fences && len(s)-len(strings.TrimLeft(s, s[:1])) >= 3
	}
	return false
}

// Unescape returns the text that a line of an entry stands for: without the backslashes before characters
// that Markdown reads as marks. It may contain any byte.
func Unescape(line string) string { return unescape(line) }

// unescape reverses escapeText and escapeInline for one line.
func unescape(s string) string {
	i := strings.IndexByte(s, '\\')
	if i < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i >= 0 {
		b.WriteString(s[:i])
		s = s[i+1:]
		c, size := byte('\\'), 0
		if s != "" && strings.IndexByte(escapable, s[0]) >= 0 {
			c, size = s[0], 1
		} else if s != "" && s[0] == 'x' {
			if x, ok := hexByte(s[1:]); ok {
				c, size = x, 3
			}
		}
		b.WriteByte(c)
		s = s[size:]
		i = strings.IndexByte(s, '\\')
	}
	b.WriteString(s)
	return b.String()
}

// hexByte returns the byte for the two hexadecimal digits at the beginning of s.
func hexByte(s string) (c byte, ok bool) {
	n, err := strconv.ParseUint(s[:min(len(s), 2)], 16, 8)
	return byte(n), err == nil && len(s) > 1
}

// swallowing lists the HTML elements that hide or fold the text after them in common renderers if
// they are left open anywhere in a line.
var swallowing = []string{
	"details", "iframe", "noembed", "noframes", "plaintext", "pre", "script",
	"select", "style", "svg", "template", "textarea", "title", "xmp",
}

// opensHTML reports whether the '<' that s begins with could open an HTML block or a comment. At
// the start of a line any tag does. Inside a line only a tag that swallows the text after it
// counts, so that List<String> in an ordinary summary needs no escape.
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

// hexEscape returns the escape for an ASCII byte.
func hexEscape(c byte) string { return `\x` + strings.ToUpper(strconv.FormatUint(uint64(c), 16)) }
