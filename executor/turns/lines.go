package turns

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"agentflow/executor/runfolder"
	"agentflow/internal/safefile"
)

// shownLine is a line of a session's file of shown items. It holds items of memory, or
// says that none of the earlier ones count as shown any more.
type shownLine struct {
	Hits  []runfolder.RecalledItem `json:"hits,omitempty"`
	Facts []runfolder.RecalledItem `json:"facts,omitempty"`
	Own   []runfolder.RecalledItem `json:"own,omitempty"` // the session stored them itself
	Files []string                 `json:"files,omitempty"`
	Again bool                     `json:"again,omitempty"`
	Part  string                   `json:"part,omitempty"` // the segment that begins at At
	At    time.Time                `json:"at,omitzero"`
}

// Shown is the list of items that a session was shown.
type Shown struct {
	Hits, Facts []runfolder.RecalledItem // since the open segment began
	Forgot      bool                     // the session has lost earlier items from its context
	seen        map[string]bool
	facts       []runfolder.RecalledItem // in its context
	files       map[string]bool          // in its context
}

// Before returns the Shown of a session that was shown some facts and nothing else.
func Before(facts []runfolder.RecalledItem) Shown {
	s := Shown{seen: map[string]bool{}, facts: facts, Facts: facts}
	for _, f := range facts {
		s.seen[f.Thing()] = true
	}
	return s
}

// Has reports whether an item is still in the session's context.
func (s Shown) Has(item runfolder.RecalledItem) bool { return s.seen[item.Thing()] }

// Names reports whether a likely file is still in the session's context.
func (s Shown) Names(file string) bool { return s.files[file] }

// Any reports whether any item or file is in the session's context.
func (s Shown) Any() bool { return len(s.seen)+len(s.files) > 0 }

// HasWithin reports whether the session's context has a fact from one of the given lines of a
// file.
func (s Shown) HasWithin(path string, from, to int) bool {
	return slices.ContainsFunc(s.facts, func(f runfolder.RecalledItem) bool { return f.Path == path && from <= f.Line && f.Line <= to })
}

// maxLines limits the files that grow by lines, in bytes.
const maxLines = 4 << 20

// Shown reads what the session was shown. Lines that cannot be read count as not shown.
func (f Folder) Shown() Shown {
	shown := Shown{seen: map[string]bool{}, files: map[string]bool{}}
	data, err := safefile.Read(f.file("shown.jsonl"), safefile.NoLink, maxLines)
	if err != nil {
		return shown
	}
	for line := range bytes.Lines(data) {
		var l shownLine
		if json.Unmarshal(line, &l) != nil {
			continue // a killed hook wrote half of it
		}
		if l.Again {
			clear(shown.seen)
			clear(shown.files)
			shown.Forgot = true
			shown.facts = nil
		}
		if l.Part != "" {
			shown.Hits, shown.Facts = since(l.At, shown.Hits), since(l.At, shown.Facts)
		}
		for _, list := range [][]runfolder.RecalledItem{l.Hits, l.Facts, l.Own} {
			for i := range list {
				list[i].At = l.At
				shown.seen[list[i].Thing()] = true
			}
		}
		shown.Hits, shown.Facts = append(shown.Hits, l.Hits...), append(shown.Facts, l.Facts...)
		shown.facts = append(shown.facts, l.Facts...)
		for _, file := range l.Files {
			shown.files[file] = true
		}
	}
	return shown
}

// since returns the items that were shown at a time or later. A segment begins with the event for
// which they were shown. With the zero time, as in older files, it returns none.
func since(at time.Time, items []runfolder.RecalledItem) (list []runfolder.RecalledItem) {
	for _, item := range items {
		if !at.IsZero() && !item.At.Before(at) {
			list = append(list, item)
		}
	}
	return list
}

// Show notes that the session is shown items of memory, and paths of likely files, at a time.
func (f Folder) Show(at time.Time, hits, facts []runfolder.RecalledItem, files []string) error {
	if len(hits)+len(facts)+len(files) == 0 {
		return nil
	}
	return f.addLine("shown.jsonl", shownLine{Hits: hits, Facts: facts, Files: files, At: at})
}

// Know notes that the session itself stored a fact, so that it is not shown.
func (f Folder) Know(at time.Time, fact runfolder.RecalledItem) error {
	return f.addLine("shown.jsonl", shownLine{Own: []runfolder.RecalledItem{fact}, At: at})
}

// ShowAgain notes that the session has lost all earlier items from its context.
func (f Folder) ShowAgain() error { return f.addLine("shown.jsonl", shownLine{Again: true}) }

// BeginPart notes that items that are shown from a time on belong to another segment.
func (f Folder) BeginPart(segment string, at time.Time) error {
	return f.addLine("shown.jsonl", shownLine{Part: segment, At: at})
}

// addLine adds a line to a file in one write.
func (f Folder) addLine(name string, line any) error {
	data, err := json.Marshal(line)
	if err != nil {
		return err
	}
	file, err := f.open(name, os.O_APPEND)
	if err != nil {
		return fmt.Errorf("add a line to %s of a session: %w", name, err)
	}
	_, err = file.Write(append(data, '\n'))
	return errors.Join(err, file.Close())
}

// Tell stores a line for the user of the session, which the next hook takes.
func (f Folder) Tell(line string) error { return f.addLine("tell.jsonl", line) }

// TellOnce is Tell for a line that the user needs to read only once in a session.
func (f Folder) TellOnce(line string) error {
	said, err := safefile.Read(f.file("said.jsonl"), safefile.NoLink, maxLines)
	quoted, jsonErr := json.Marshal(line)
	if jsonErr != nil || err == nil && bytes.Contains(said, quoted) {
		return jsonErr
	}
	return errors.Join(f.addLine("said.jsonl", line), f.Tell(line))
}

// Told takes the stored lines for the user.
func (f Folder) Told() (lines []string) {
	name := f.file("tell.jsonl")
	if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	taken := name + ".taken"
	if os.Rename(name, taken) != nil {
		return nil // another hook was faster
	}
	defer os.Remove(taken)
	data, err := safefile.Read(taken, safefile.NoLink, maxLines)
	if err != nil {
		return nil
	}
	for line := range bytes.Lines(data) {
		var text string
		if json.Unmarshal(line, &text) == nil {
			lines = append(lines, text)
		}
	}
	return lines
}
