package markdown

import "agentflow/memory/internal/outline"

// Fence follows the fenced code of a text, line by line.
type Fence struct {
	open   outline.Fence
	inside bool
}

// Holds reports whether the next line belongs to fenced code, including the lines that open and close it.
func (f *Fence) Holds(line string) bool {
	mark, is := outline.FenceOf(line, outline.FenceIndent)
	switch {
	case !f.inside && is:
		f.open, f.inside = mark, true
	case f.inside && is && mark.Closes(f.open):
		f.inside = false
		return true
	}
	return f.inside
}
