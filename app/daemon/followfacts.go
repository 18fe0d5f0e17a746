package daemon

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/lookup"
	"agentflow/app/memoryfiles"
	"agentflow/internal/safefile"
	"agentflow/memory"
	"agentflow/memory/markdown"
)

// mostAlone limits the facts of one kind that are reported one by one. A larger group is reported as one event
// with its count.
const mostAlone = 100

// gracePeriod is how long a missing fact may only be on its way. An editor that saves by renaming, or a change of
// several files, removes a fact from one place before it writes it to another.
const gracePeriod = time.Second

// factWatch compares the facts of memory with those of the previous look.
type factWatch struct {
	Files map[string]factFile  // without the texts of facts
	known map[string]knownFact // by name: the fact's id, or the digest of its words
	begun bool
}

// knownFact is the part of a fact that is kept to detect a change.
type knownFact struct {
	id     string   // empty for a fact that a person wrote without one
	words  checksum // hash of its memory's folder and its words
	file   string
	digest checksum  // of all compared fields
	gone   time.Time // when the fact was first missing; zero: it is there
}

type checksum = [sha256.Size]byte

// seenFact is a fact as one look found it.
type seenFact struct {
	Name   string
	also   []string // the names of the facts that were merged into it
	id     string
	words  checksum
	file   string // absolute
	digest checksum
	Fact   *api.Fact // nil if its file did not change: up to a hundred thousand texts are not kept in memory
}

// factFile is a file as it was last read.
type factFile struct {
	info  os.FileInfo
	fresh bool // changed so shortly before it was read that a later change may not show in its time
	Facts []seenFact
}

// freshFor is how long a change may not show in a file's time: the coarsest file system clock ticks every 2 s.
const freshFor = 2 * time.Second

// waits reports whether facts are missing that may come back.
func (w *factWatch) waits() bool {
	for _, k := range w.known {
		if !k.gone.IsZero() {
			return true
		}
	}
	return false
}

// Look reads the files that may have changed, and returns the events of their facts. The first look only records the
// facts.
func (w *factWatch) Look(ctx context.Context, m *app.Memory, now time.Time) ([]api.Event, error) {
	s, err := m.Silent().OpenExisting(ctx)
	if err != nil && app.AsError(err).Kind != app.KindNoPlace {
		return nil, err
	}
	var homes []*app.Repo
	switch {
	case err == nil:
		homes = s.AndGlobal(ctx)
	case w.begun:
		return nil, nil // the folder is away, and its facts come back with it
	}
	files := map[string]factFile{}
	var seen []seenFact
	for _, home := range homes {
		if !safefile.IsDir(home.Memory()) {
			w.keep(home.Memory(), files, &seen)
			continue
		}
		paths, err := memoryfiles.List(home)
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			f, err := w.read(home, path, now)
			if err != nil {
				return nil, err
			}
			files[path] = f
			seen = append(seen, f.Facts...)
		}
	}
	w.Files = withoutTexts(files)
	return w.compare(seen, now, func(f seenFact) *api.Fact { return textOf(homes, f) }), nil
}

// withoutTexts drops the texts of facts, and returns the files as they are kept until the next look.
func withoutTexts(files map[string]factFile) map[string]factFile {
	for _, f := range files {
		for i := range f.Facts {
			f.Facts[i].Fact = nil
		}
	}
	return files
}

// textOf reads a fact from a file that this look did not read. If the fact is gone, the result has only its id.
func textOf(homes []*app.Repo, f seenFact) *api.Fact {
	for _, home := range homes {
		if rel, err := filepath.Rel(home.Memory(), f.file); err != nil || !filepath.IsLocal(rel) {
			continue
		}
		data, err := memoryfiles.Read(f.file)
		if err != nil {
			continue
		}
		for _, now := range factsIn(home, f.file, data) {
			if now.Name == f.Name {
				return now.Fact
			}
		}
	}
	return &api.Fact{ID: f.id}
}

// keep copies the facts of the last look for a memory folder that is away.
func (w *factWatch) keep(folder string, files map[string]factFile, seen *[]seenFact) {
	for path, f := range w.Files {
		if strings.HasPrefix(path, folder+string(filepath.Separator)) {
			files[path] = f
			*seen = append(*seen, f.Facts...)
		}
	}
}

// read returns a file's facts, from the last look if the file is the same. A file that vanishes meanwhile has none.
func (w *factWatch) read(home *app.Repo, path string, now time.Time) (factFile, error) {
	info, err := os.Lstat(path)
	if safefile.IsAbsent(err) {
		return factFile{}, nil
	}
	if err != nil {
		return factFile{}, fmt.Errorf("reading memory: %w", err)
	}
	before, ok := w.Files[path]
	if ok && !before.fresh && before.info != nil && os.SameFile(info, before.info) && info.ModTime().Equal(before.info.ModTime()) && info.Size() == before.info.Size() {
		return before, nil
	}
	f := factFile{info: info, fresh: now.Sub(info.ModTime()).Abs() < freshFor}
	data, err := memoryfiles.Read(path)
	switch {
	case safefile.IsAbsent(err):
		return factFile{}, nil
	case err != nil:
		return f, fmt.Errorf("reading memory: %w", err)
	}
	f.Facts = factsIn(home, path, data)
	return f, nil
}

// factsIn returns the facts of a file, including those that a person wrote in MEMORY.md without ids.
func factsIn(s *app.Repo, path string, data []byte) (list []seenFact) {
	rel, _ := filepath.Rel(s.Root, path)
	if rel = filepath.ToSlash(rel); rel == lookup.Feedback {
		return nil // judgements are not facts about the project
	}
	doc := markdown.Parse(data)
	add := func(k *lookup.StoredFact) { list = append(list, seen(k, s.Root)) }
	for _, b := range doc.Blocks {
		for _, at := range b.Facts {
			add(lookup.FactAt(s, lookup.StoredBlock{Block: b, File: rel, Path: path}, at))
		}
	}
	if rel == "memory/"+memory.LastingFile {
		for _, n := range doc.Notes(memory.LastingFile) {
			if n.Fact == nil && !n.Leads {
				add(lookup.FactAt(s, lookup.StoredBlock{File: rel, Path: path}, markdown.FactAt{Fact: n.AsFact(), StartLine: n.StartLine}))
			}
		}
	}
	return list
}

// seen makes the compared form of a fact of the memory at root. It leaves out the place of the fact, and the
// attributes that depend on the place.
func seen(k *lookup.StoredFact, root string) seenFact {
	object := k.Object()
	f := seenFact{Fact: &object, id: strings.Clone(k.ID), file: k.Path} // the clone of the id does not retain the file's text
	f.words = sha256.Sum256([]byte(root + "\x00" + strings.Join(strings.Fields(object.Text), " ")))
	if f.Name = f.id; f.Name == "" {
		f.Name = string(f.words[:])
	}
	for _, id := range k.IDs() {
		if id != k.ID {
			f.also = append(f.also, strings.Clone(id))
		}
	}
	same := object
	same.File, same.Line, same.Created, same.Updated, same.Source, same.Commit = "", 0, time.Time{}, time.Time{}, "", ""
	same.Tags, same.Merged = slices.Sorted(slices.Values(same.Tags)), nil
	data, _ := json.Marshal(same) // has only fields that can be encoded
	f.digest = sha256.Sum256(data)
	return f
}

// compare returns the events of facts since the last look, and records the facts seen now. It calls text for the facts
// that were seen without their text.
func (w *factWatch) compare(seen []seenFact, now time.Time, text func(seenFact) *api.Fact) []api.Event {
	first := !w.begun
	if w.begun = true; w.known == nil {
		w.known = map[string]knownFact{}
	}
	there, merged := map[string]bool{}, map[string]bool{}
	var stored, changed []seenFact
	for _, f := range seen {
		if there[f.Name] {
			continue // also in a copy of its file
		}
		there[f.Name] = true
		for _, id := range f.also {
			merged[id] = true
		}
		switch before, known := w.known[f.Name]; {
		case !known:
			stored = append(stored, f)
		case before.digest != f.digest:
			changed = append(changed, f)
		}
		w.known[f.Name] = knownFact{id: f.id, words: f.words, file: f.file, digest: f.digest}
	}
	forgotten, edited := w.missing(there, merged, stored, now)
	for _, f := range stored {
		if edited[f.Name] {
			changed = append(changed, f)
		}
	}
	stored = slices.DeleteFunc(stored, func(f seenFact) bool { return edited[f.Name] })
	if first {
		return nil
	}
	return slices.Concat(factEvents(api.MemoryStored, stored, text), factEvents(api.MemoryChanged, changed, text), factEvents(api.MemoryForgotten, forgotten, nil))
}

// missing returns the forgotten facts, and the names of new facts that are known facts after an edit by hand. A fact
// that was merged into another one is not forgotten.
func (w *factWatch) missing(there, merged map[string]bool, stored []seenFact, now time.Time) (forgotten []seenFact, edited map[string]bool) {
	var gone []string
	for name, k := range w.known {
		switch {
		case there[name]:
		case merged[name]:
			k.gone = time.Time{}
			w.known[name] = k
		default:
			gone = append(gone, name)
		}
	}
	edited = w.editedByHand(gone, stored)
	for _, name := range gone {
		switch k, known := w.known[name]; {
		case !known:
		case k.gone.IsZero():
			k.gone = now
			w.known[name] = k
		case now.Sub(k.gone) >= gracePeriod:
			delete(w.known, name)
			forgotten = append(forgotten, seenFact{id: k.id})
		}
	}
	return forgotten, edited
}

// editedByHand returns the names of new facts that are missing known facts after an edit, and drops the latter. A pair
// matches if it has the same words and only one of the two has an id. It also matches if neither has an id and both are
// in the same file.
func (w *factWatch) editedByHand(gone []string, stored []seenFact) map[string]bool {
	edited := map[string]bool{}
	if len(gone) == 0 {
		return edited
	}
	words, files := map[checksum]seenFact{}, map[string][]string{}
	for _, f := range stored {
		words[f.words] = f
	}
	for _, name := range gone {
		if f, ok := words[w.known[name].words]; ok && (f.id == "") != (w.known[name].id == "") {
			edited[f.Name] = true
			delete(w.known, name)
		}
	}
	for _, f := range stored {
		if f.id == "" && !edited[f.Name] {
			files[f.file] = append(files[f.file], f.Name)
		}
	}
	for _, name := range gone {
		k, known := w.known[name]
		if new := files[k.file]; known && k.id == "" && len(new) > 0 {
			edited[new[0]], files[k.file] = true, new[1:]
			delete(w.known, name)
		}
	}
	return edited
}

// factEvents returns one event for each fact, or one with their count if there are more than mostAlone.
func factEvents(kind api.EventKind, list []seenFact, text func(seenFact) *api.Fact) (events []api.Event) {
	if len(list) > mostAlone {
		return []api.Event{{Kind: kind, Count: len(list)}}
	}
	for _, f := range list {
		e := api.Event{Kind: kind, ID: f.id, Fact: f.Fact}
		if kind != api.MemoryForgotten && e.Fact == nil {
			e.Fact = text(f)
		}
		events = append(events, e)
	}
	return events
}
