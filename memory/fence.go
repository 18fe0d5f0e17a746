package memory

import "strings"

// fence is one line that opens or closes a fenced code block (CommonMark
// 0.31, section 4.5).
type fence struct {
	char byte
	size int  // length of the run, at least 3
	bare bool // nothing behind the run: it may close
}

// maxFence caps the run that is told apart, so that searching for closing
// fences stays linear in the number of lines.
const maxFence = 32

// fenceOf reads a line, with at most maxIndent spaces before the run.
func fenceOf(line string, maxIndent int) (fence, bool) {
	body := strings.TrimLeft(line, " ")
	if len(line)-len(body) > maxIndent || len(body) < 3 {
		return fence{}, false
	}
	c := body[0]
	if c != '`' && c != '~' {
		return fence{}, false
	}
	info := strings.TrimLeft(body, string(c))
	n := len(body) - len(info)
	if n < 3 || c == '`' && strings.IndexByte(info, '`') >= 0 {
		return fence{}, false
	}
	return fence{char: c, size: min(n, maxFence), bare: strings.Trim(info, " \t") == ""}, true
}

// fencesClosed reports whether every line that looks like a fence, however
// far indented, opens or closes a block that ends within lines. Only then
// may they stand unescaped in a value. start says whether the first line
// begins a line of the file.
func fencesClosed(lines []string, start bool) bool {
	var open fence
	inside := false
	for i, line := range lines {
		text := strings.TrimLeft(line, " \t")
		if !strings.HasPrefix(text, "```") && !strings.HasPrefix(text, "~~~") {
			continue
		}
		// Values are indented by two, and four spaces are no fence.
		f, ok := fenceOf(line, 1)
		if !ok || i == 0 && !start {
			return false
		}
		switch {
		case !inside:
			open, inside = f, true
		case f.bare && f.char == open.char && f.size >= open.size:
			inside = false
		}
	}
	return !inside
}
