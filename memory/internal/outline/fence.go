package outline

import "strings"

// Fence is one line that opens or closes a fenced code block (CommonMark
// 0.31, section 4.5).
type Fence struct {
	char byte
	size int  // length of the run, at least 3
	bare bool // nothing follows the run, so it may close a block
}

// maxFence caps the length of a run that is distinguished, so that searching for closing fences
// stays linear in the number of lines.
const maxFence = 32

// FenceOf reads a line as a fence, with at most maxIndent spaces before the run.
func FenceOf(line string, maxIndent int) (Fence, bool) {
	body := strings.TrimLeft(line, " ")
	if len(line)-len(body) > maxIndent || len(body) < 3 {
		return Fence{}, false
	}
	c := body[0]
	if c != '`' && c != '~' {
		return Fence{}, false
	}
	info := strings.TrimLeft(body, string(c))
	n := len(body) - len(info)
	if n < 3 || c == '`' && strings.IndexByte(info, '`') >= 0 {
		return Fence{}, false
	}
	return Fence{char: c, size: min(n, maxFence), bare: strings.Trim(info, " \t") == ""}, true
}

// FenceIndent is the most spaces before a fence in Markdown.
const FenceIndent = 3

// Closes reports whether a fence ends the block that another one opened.
func (f Fence) Closes(open Fence) bool { return f.bare && f.char == open.char && f.size >= open.size }

// FencesClosed reports whether every line that looks like a fence, at any indentation, opens or
// closes a block that ends within lines. Only then may they be written unescaped in a value. start
// says whether the first line begins a line of the file.
func FencesClosed(lines []string, start bool) bool {
	var open Fence
	inside := false
	for i, line := range lines {
		text := strings.TrimLeft(line, " \t")
		if !strings.HasPrefix(text, "```") && !strings.HasPrefix(text, "~~~") {
			continue
		}
		// Values are indented by two, and a line with four spaces is not a fence.
		f, ok := FenceOf(line, 1)
		if !ok || i == 0 && !start {
			return false
		}
		switch {
		case !inside:
			open, inside = f, true
		case f.Closes(open):
			inside = false
		}
	}
	return !inside
}

// Fences finds the lines that close fences. Searches for one kind of fence only ever move forward,
// so all searches of a text together take linear time.
type Fences struct {
	lines []fencedLine
	next  map[Fence]int // first index in lines that may still close this kind
}

type fencedLine struct {
	Fence
	line int
}

// FindFences lists the lines [from, to) that may open or close a fence.
func FindFences(l Lines, from, to int) *Fences {
	c := &Fences{next: map[Fence]int{}}
	for i := from; i < to; i++ {
		if f, ok := FenceOf(l.Line(i), FenceIndent); ok {
			c.lines = append(c.lines, fencedLine{f, i})
		}
	}
	return c
}

// After returns the line before limit that closes the fence f opened on line. Calls for one kind of
// fence must not go backwards.
func (c *Fences) After(f Fence, line, limit int) (int, bool) {
	f.bare = false
	i := c.next[f]
	for ; i < len(c.lines); i++ {
		g := c.lines[i]
		if g.line > line && g.Closes(f) {
			break
		}
	}
	c.next[f] = i
	if i == len(c.lines) || c.lines[i].line >= limit {
		return 0, false
	}
	return c.lines[i].line, true
}
