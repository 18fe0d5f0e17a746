package attribution

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentflow/gitwatch/toolcalls"
	"agentflow/internal/testing/gittest"
	"agentflow/internal/testing/randomtest"
)

// call is a tool call of the run or of the other run, running or ended.
type call struct {
	s      *scenario
	number int
	who    hands // who its steps are: fileTool, shellUnnamed, silent, other
	on     bool
	told   toolcalls.Call // what an executor would know of it

	command        // of a shell call
	from    string // the folder that its shell is in, in the work tree
	prints  bool   // what it prints may name files that it wrote
	next    int

	saw, left string // when the executor looks at its files

	tool                    bool // it is one of a file tool, which writes path
	path                    string
	done                    bool
	tellsBefore, tellsAfter bool
}

func (c *call) label() string {
	if c == nil {
		return ""
	}
	return fmt.Sprintf(" (call %d)", c.number)
}

// newCall begins a call of the run or of the other run.
func (s *scenario) newCall(whose hands) *call {
	c := &call{s: s, number: len(s.calls) + len(s.others), who: other, tool: s.rnd.IntN(2) == 0}
	if whose == other {
		s.turn = other
	}
	switch {
	case c.tool:
		c.path = s.file()
		if s.rnd.IntN(3) == 0 {
			c.path = s.freshName()
		}
		c.tellsBefore, c.tellsAfter = s.rnd.IntN(4) > 0, s.rnd.IntN(5) > 0
	case whose == ours && s.rnd.IntN(12) == 0:
		c.command = s.backgroundCommand()
	default:
		c.command = s.shellCommand()
	}
	s.turn = 0
	if whose == ours {
		switch c.who = shellUnnamed; {
		case !s.tells:
			c.who = silent
		case c.tool:
			c.who = fileTool
		}
	}
	c.begin()
	return c
}

// begin does what an executor does on the event of a call: it reads the files
// that the call names. The event may arrive too late for that, or the files may
// be seen only after the call has changed them.
func (c *call) begin() {
	c.on = true
	if c.tool {
		w := toolcalls.Write{Path: c.path}
		if c.s.rnd.IntN(2) == 0 {
			w.Path = filepath.Join(c.s.dir, c.path)
		}
		c.told.Wrote = []toolcalls.Write{w}
	} else {
		c.readCommand()
	}
	c.saw = randomtest.Pick(c.s.rnd, inTime, inTime, inTime, inTime, inTime, late, never)
	c.left = randomtest.Pick(c.s.rnd, inTime, inTime, inTime, inTime, inTime, late, never)
	if c.saw == inTime {
		c.told.Saw = c.look()
	}
	if c.s.apart > 0 {
		c.s.clock.tick(c.s.apart)
	}
	c.told.Began = time.Now()
	if c.who&(theirs|silent) == 0 {
		c.hidesEarlier()
	}
	c.s.note("%s call %d begins (%s): %s%q, names %q, seen %s, %s", stamp(c.told.Began), c.number, whoNames[c.who], c.path, c.text(), c.told.Names, c.saw, c.left)
}

// When files are looked at.
const (
	inTime = "in time"
	late   = "late"
	never  = "never"
)

// readCommand reads from a command's text what an executor would. A shell that
// keeps its directory may be anywhere after a command that changed it.
func (c *call) readCommand() {
	read := toolcalls.Written(c.text())
	c.told.Names, c.told.Git = read.Names, read.Git
	c.told.Background = read.Background || c.leaves
	c.prints = !read.Lists
	if !c.s.keepsFolder || c.who == other {
		return
	}
	c.from = c.s.folder
	if c.s.moved {
		c.told.Names = toolcalls.BelowAny(c.told.Names)
	}
	c.s.moved = c.s.moved || read.Moves
	c.s.folder = path.Join(c.s.folder, c.cwd)
}

// look returns the present state of the files of a call.
func (c *call) look() []toolcalls.FileState {
	names := slices.Clone(c.told.Names)
	for _, w := range c.told.Wrote {
		names = append(names, w.Path)
	}
	return toolcalls.Look(c.s.dir, names)
}

// goOn lets the next part of a call happen, or ends it.
func (c *call) goOn() {
	switch {
	case c.tool && !c.done:
		c.s.step(c.who, c, c.path, false, c.write)
		c.done = true
	case !c.tool && c.next < len(c.parts):
		script := c.parts[c.next]
		c.next++
		c.s.step(c.who, c, script, c.amends, func() string { return c.shell(script) })
	default:
		c.end()
		return
	}
	if c.saw == late {
		c.saw, c.told.Saw = inTime, c.look()
	}
}

func (c *call) end() {
	c.on = false
	c.told.Ended = time.Now()
	if c.left == inTime {
		c.told.Left = c.look()
	}
	c.s.note("%s call %d ends", stamp(c.told.Ended), c.number)
}

// lateLook reads files for an executor that receives the end of a call after
// others have continued.
func (s *scenario) lateLook() {
	for _, c := range s.calls {
		if !c.on && c.left == late {
			c.left, c.told.Left = inTime, c.look()
		}
	}
}

func (c *call) shell(script string) string {
	if c.leaves {
		c.s.leave(c)
	}
	trace := filepath.Join(c.s.f.Run, "refs.log")
	if c.who == other {
		trace = filepath.Join(c.s.f.Run, "of-another.log")
	}
	out := c.s.run(path.Join(c.s.dir, c.from, c.cwd), trace, script)
	if c.prints {
		c.told.Names = append(c.told.Names, toolcalls.WrittenIn(out)...)
	}
	return out
}

// write acts as the file tool: it writes a whole file, or edits it.
func (c *call) write() string {
	full := filepath.Join(c.s.dir, filepath.FromSlash(c.path))
	info, err := os.Lstat(full)
	if err == nil && !info.Mode().IsRegular() || err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.told.Wrote = nil
		return "not a file"
	}
	before, old := toolcalls.NoText, ""
	if err == nil {
		old = c.s.slurp(full)
		before = toolcalls.TextID([]byte(old))
	}
	text := c.rewritten(old, c.s.word("tool"))
	gittest.Must(c.s.t, os.MkdirAll(filepath.Dir(full), 0o755))
	target, mode := full, fs.FileMode(0o644)
	if err == nil {
		mode = info.Mode().Perm()
	}
	if c.s.rnd.IntN(2) == 0 {
		target = full + ".tmp"
	}
	gittest.Must(c.s.t, os.WriteFile(target, []byte(text), mode))
	gittest.Must(c.s.t, os.Chmod(target, mode))
	gittest.Must(c.s.t, os.Rename(target, full))
	w := &c.told.Wrote[0]
	if c.tellsBefore {
		w.Before = before
	}
	if c.tellsAfter {
		w.After = toolcalls.TextID([]byte(text))
	}
	return ""
}

// rewritten returns a text as edited by the tool.
func (c *call) rewritten(old, word string) string {
	if old == "" || c.s.rnd.IntN(3) == 0 {
		return text(word)
	}
	list := strings.SplitAfter(old, "\n")
	if i := c.s.rnd.IntN(len(list)); randomtest.Pick(c.s.rnd, true, false) {
		list[i] = word + "\n"
	} else {
		list[i] += word + "\n"
	}
	return strings.Join(list, "")
}
