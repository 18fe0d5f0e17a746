package toolcalls

import (
	"slices"
	"strings"
)

// Edit is the change that a file tool made to a text. It holds parts of the text, so it is never
// stored.
type Edit struct {
	Old, New string
	All      bool // all occurrences of Old were replaced
	Whole    bool // New is the whole text
	// Patch lists the changed parts of the text. It is nil if the tool does not report them.
	Patch []Hunk
}

// Size returns the size of the texts that the edit holds, in bytes.
func (e *Edit) Size() int {
	size := len(e.Old) + len(e.New)
	for _, h := range e.Patch {
		for _, line := range h.Lines {
			size += len(line)
		}
	}
	return size
}

// Adds reports whether the edit put in a line. White space around the line does not count.
func (e *Edit) Adds(line string) bool {
	line = strings.TrimSpace(line)
	is := func(other string) bool { return strings.TrimSpace(other) == line }
	if len(e.Patch) == 0 {
		return slices.ContainsFunc(lines(e.New), is) && !slices.ContainsFunc(lines(e.Old), is)
	}
	for _, h := range e.Patch {
		if slices.ContainsFunc(h.Lines, func(l string) bool { return strings.HasPrefix(l, "+") && is(l[1:]) }) {
			return true
		}
	}
	return false
}

// Hunk is a changed part of a text. Its lines begin with a space, - or +, and their leading tabs
// may have become two spaces each.
type Hunk struct {
	OldStart int      `json:"oldStart"` // its first line before the change, from 1
	Lines    []string `json:"lines"`
}

// Apply returns the text that the edit makes of another one, as Claude's Edit tool does, in the form
// that TextID sees. Without All, Old must occur once. If New is empty and an end of line follows Old,
// the tool removes that too.
func (e Edit) Apply(text string) (after string, ok bool) {
	if e.Whole {
		return plain([]byte(e.New)), true
	}
	text = plain([]byte(text))
	n := strings.Count(text, e.Old)
	if n == 0 || n > 1 && !e.All || e.Old == "" && text != "" {
		return "", false
	}
	old, times := e.Old, 1
	if e.New == "" && !strings.HasSuffix(old, "\n") && strings.Contains(text, old+"\n") {
		old += "\n"
	}
	if e.All {
		times = -1
	}
	return plain([]byte(strings.Replace(text, old, e.New, times))), true
}

// shows reports whether the tool found the text before and left the text after. The patch does not
// fit if others changed the text in between. It does not show changes of tabs to spaces, so the
// lines that it leaves out have to be the same in both texts.
func (e Edit) shows(before, after string) bool {
	if e.Patch == nil {
		return !e.Whole && (!e.All || strings.Count(before, e.Old) == 1)
	}
	was, is := lines(before), lines(after)
	total := len(was)
	for _, h := range e.Patch {
		same := h.OldStart - 1 - (total - len(was))
		if same < 0 || same > min(len(was), len(is)) || !slices.Equal(was[:same], is[:same]) {
			return false
		}
		var fits bool
		if was, is, fits = h.take(was[same:], is[same:]); !fits {
			return false
		}
	}
	return slices.Equal(was, is)
}

// take removes the lines of the part from the lines before and after the change, which begin with it.
func (h Hunk) take(was, is []string) (wasLeft, isLeft []string, fits bool) {
	begins := func(list []string, line string) bool { return len(list) > 0 && inHunk(list[0]) == line[1:] }
	for _, line := range h.Lines {
		switch {
		case strings.HasPrefix(line, "-"):
			if !begins(was, line) {
				return nil, nil, false
			}
			was = was[1:]
		case strings.HasPrefix(line, "+"):
			if !begins(is, line) {
				return nil, nil, false
			}
			is = is[1:]
		case strings.HasPrefix(line, " "):
			if !begins(was, line) || len(is) == 0 || was[0] != is[0] {
				return nil, nil, false
			}
			was, is = was[1:], is[1:]
		}
	}
	return was, is, true
}

// lines returns the lines of a text without their ends.
func lines(text string) (list []string) {
	for line := range strings.Lines(text) {
		list = append(list, strings.TrimSuffix(line, "\n"))
	}
	return list
}

// inHunk returns a line in the form of a Hunk.
func inHunk(line string) string {
	rest := strings.TrimLeft(line, "\t")
	return strings.Repeat("  ", len(line)-len(rest)) + rest
}

// maxReplayed limits the texts that Replay goes through for one file, in bytes.
const maxReplayed = 64 << 20

// Replay fills in the unknown TextIDs of the writes of one file, which are in order. It applies
// their edits to the text before them, which is nil if it is unknown. The ids are filled in only
// where the result is the text that a later write found, or the text now. Others must have changed
// nothing in between for that. If the file was changed after the text now, any write may have left
// that text.
func Replay(writes []Write, before []byte, now string, changedSince bool) []Write {
	r := replay{found: slices.Clone(writes), tried: slices.Clone(writes), known: before != nil, text: plain(before)}
	for i := range writes {
		r.step(i)
		if r.work += len(r.text); r.work > maxReplayed {
			break
		}
		if r.known && (changedSince || i == len(writes)-1) && TextID([]byte(r.text)) == now {
			r.prove(i + 1)
		}
	}
	return r.found
}

// replay is the state of Replay.
type replay struct {
	found, tried []Write
	from         int // tried is not proven from here on
	text         string
	known        bool // text is what the file may have held
	work         int
}

func (r *replay) prove(until int) {
	copy(r.found[r.from:until], r.tried[r.from:until])
	r.from = until
}

// step applies a write.
func (r *replay) step(i int) {
	w := &r.tried[i]
	id := ""
	if r.known {
		id = TextID([]byte(r.text))
	}
	switch {
	case w.Before == "":
	case w.Before == id:
		r.prove(i)
	default:
		r.known = false
	}
	after, shown := r.apply(w.Edit)
	left := TextID([]byte(after))
	switch {
	case w.Edit == nil || !shown && !w.Edit.Whole, w.After != "" && w.After != left:
		r.known, r.from = false, i+1
	case !shown:
		r.text, r.known, r.from = after, true, i+1
	default:
		w.Before, w.After, r.text = id, left, after
		if w.Edit.Whole {
			r.prove(i + 1) // its patch shows all that it replaced
		}
	}
}

// apply returns the text that an edit leaves. shown is false if it is not known that the edit found
// the current text.
func (r *replay) apply(e *Edit) (after string, shown bool) {
	if e == nil {
		return "", false
	}
	after, ok := e.Apply(r.text)
	return after, ok && r.known && e.shows(r.text, after)
}
