package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"agentflow/internal/agentlimit"
	"agentflow/internal/memorytool"
)

// doorWriter changes memory through one door after the other, and keeps what
// was acknowledged. No other writer uses its texts and note files.
type doorWriter struct {
	t      *testing.T
	name   string // of one word, unlike any other
	folder string // of its notes
	rand   *rand.Rand
	count  int // of commands
	facts  []*writtenFact
	notes  map[string]string // what its files hold, by path below the folder
	// doubt is the contents of the files if the unanswered command was done;
	// nil if each was answered.
	doubt  map[string]string
	shared []string // lines that it put into the common file
	maybe  []string // lines of unanswered commands
}

// writtenFact is a fact that a writer stored, or tried to.
type writtenFact struct {
	id   string
	text string   // as it was acknowledged last; empty when it is not to be there
	was  []string // texts that it had
	// doubt reports that a command had no answer. It would have changed the text to
	// next, which is empty for a forgotten fact.
	doubt bool
	next  string
}

// sharedFile is one that all writers write to.
const sharedFile = "/memories/shared.md"

// write changes memory until an answer is missing, or until the limit of a session. It
// returns true at the limit. It first finishes the work that a killed process had begun.
func (w *doorWriter) write(d memoryDoor) (all bool) {
	err := w.storeOrRepeat(d)
	if !errors.Is(err, errCut) {
		w.settleNotes()
	}
	for range agentlimit.PerSession - 1 {
		switch {
		case errors.Is(err, errCut):
			return false
		case err != nil:
			w.t.Errorf("%s: %v", w.name, err)
		}
		err = w.step(d)
	}
	return true
}

// storeOrRepeat stores a fact. It repeats a store without an answer, as a client
// does.
func (w *doorWriter) storeOrRepeat(d memoryDoor) error {
	for _, f := range w.facts {
		if f.doubt && f.id == "" {
			return f.store(d, f.next)
		}
	}
	return w.store(d)
}

func (w *doorWriter) store(d memoryDoor) error {
	f := &writtenFact{}
	w.facts = append(w.facts, f)
	return f.store(d, fmt.Sprintf("Fact %sn%d says v0", w.name, w.count))
}

// settleNotes looks whether the command on files that had no answer was done.
func (w *doorWriter) settleNotes() {
	there, err := filesBelow(w.folder)
	maps.DeleteFunc(there, func(name, _ string) bool { return strings.HasSuffix(name, ".tmp") }) // of a killed process, until one that writes clears up
	switch {
	case err != nil:
		w.t.Error(err)
	case maps.Equal(there, w.notes):
	case w.doubt != nil && maps.Equal(there, w.doubt):
		w.notes = w.doubt
	default:
		w.t.Errorf("the files of %s are\n%q, not\n%q\nnor, if what was not answered was done,\n%q", w.name, there, w.notes, w.doubt)
		w.notes = there
	}
	w.doubt = nil
}

// filesBelow returns the texts of all files in a folder and its subfolders.
func filesBelow(folder string) (map[string]string, error) {
	files := map[string]string{}
	root := os.DirFS(folder)
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist) && name == ".":
			return nil
		case err != nil || d.IsDir():
			return err
		}
		text, err := fs.ReadFile(root, name)
		files[name] = string(text)
		return err
	})
	return files, err
}

// step sends one command.
func (w *doorWriter) step(d memoryDoor) error {
	w.count++
	var live []*writtenFact
	for _, f := range w.facts {
		if f.text != "" && !f.doubt {
			live = append(live, f)
		}
	}
	switch kind := w.rand.IntN(10); {
	case kind < 2 || len(live) == 0:
		return w.store(d)
	case kind == 2:
		return live[w.rand.IntN(len(live))].edit(d, w.count)
	case kind == 3:
		return live[w.rand.IntN(len(live))].forget(d)
	case kind == 4:
		return w.share(d)
	}
	return w.note(d)
}

// begin notes that a command may or may not be done from now on.
func (f *writtenFact) begin(next string) { f.doubt, f.next = true, next }

// settle stores whether the change was done, or that this is unknown.
func (f *writtenFact) settle(err error) error {
	switch {
	case errors.Is(err, errCut):
		return err
	case err == nil:
		if f.text != "" && f.text != f.next {
			f.was = append(f.was, f.text)
		}
		f.text = f.next
	}
	f.doubt, f.next = false, ""
	return err
}

// forgotten reports that the fact was acknowledged and forgotten.
func (f *writtenFact) forgotten() bool { return f.text == "" && !f.doubt && len(f.was) > 0 }

func (f *writtenFact) store(d memoryDoor, text string) (err error) {
	f.begin(text)
	f.id, err = d.store(text)
	return f.settle(err)
}

func (f *writtenFact) edit(d memoryDoor, n int) error {
	words := strings.Fields(f.text)
	f.begin(strings.Join(words[:len(words)-1], " ") + fmt.Sprintf(" v%d", n))
	id, err := d.edit(f.id, f.next)
	if err == nil {
		f.id = id
	}
	return f.settle(err)
}

func (f *writtenFact) forget(d memoryDoor) error {
	f.begin("")
	return f.settle(d.forget(f.id))
}

func (w *doorWriter) share(d memoryDoor) error {
	line, at := fmt.Sprintf("Shared %sn%d", w.name, w.count), 0
	err := d.note(memorytool.Command{Command: memorytool.Insert, Path: sharedFile, InsertLine: &at, InsertText: &line})
	switch {
	case errors.Is(err, errCut):
		w.maybe = append(w.maybe, line)
	case err == nil:
		w.shared = append(w.shared, line)
	}
	return err
}

// note sends a command for one of the writer's own files, or for a folder of them.
func (w *doorWriter) note(d memoryDoor) error {
	c, after := w.command(w.count)
	err := d.note(c)
	switch {
	case errors.Is(err, errCut):
		w.doubt = after
	case err == nil:
		w.notes = after
	}
	return err
}

// command returns a command that succeeds, and the contents of the files after it.
func (w *doorWriter) command(n int) (c memorytool.Command, after map[string]string) {
	after = maps.Clone(w.notes)
	line := fmt.Sprintf("Line %sn%d", w.name, n)
	files := slices.Sorted(maps.Keys(w.notes))
	kind := w.rand.IntN(8)
	if kind < 2 || len(files) == 0 {
		name, text := fmt.Sprintf("d%d/f%d.md", w.rand.IntN(3), n), line+"\nthe end\n"
		after[name] = text
		return memorytool.Command{Command: memorytool.Create, Path: w.path(name), FileText: &text}, after
	}
	name := files[w.rand.IntN(len(files))]
	lines := slices.Collect(strings.Lines(w.notes[name]))
	switch kind {
	case 2, 3:
		at := w.rand.IntN(len(lines))
		c = memorytool.Command{Command: memorytool.StrReplace, Path: w.path(name), OldStr: lines[at], NewStr: line + "\n"}
		lines[at] = line + "\n"
		after[name] = strings.Join(lines, "")
	case 4:
		delete(after, name)
		c = memorytool.Command{Command: memorytool.Delete, Path: w.path(name)}
	case 5:
		to := fmt.Sprintf("moved%d.md", n)
		after[to] = after[name]
		delete(after, name)
		c = memorytool.Command{Command: memorytool.Rename, OldPath: w.path(name), NewPath: w.path(to)}
	case 6:
		if from := path.Dir(name); from != "." {
			to := fmt.Sprintf("d%d", 10+n)
			for _, name := range files {
				if rest, ok := strings.CutPrefix(name, from+"/"); ok {
					after[to+"/"+rest] = after[name]
					delete(after, name)
				}
			}
			return memorytool.Command{Command: memorytool.Rename, OldPath: w.path(from), NewPath: w.path(to)}, after
		}
		fallthrough
	default:
		at := w.rand.IntN(len(lines) + 1)
		c = memorytool.Command{Command: memorytool.Insert, Path: w.path(name), InsertLine: &at, InsertText: &line}
		after[name] = strings.Join(slices.Insert(lines, at, line+"\n"), "")
	}
	return c, after
}

func (w *doorWriter) path(name string) string { return "/memories/" + w.name + "/" + name }
