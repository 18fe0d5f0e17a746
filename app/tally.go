package app

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"agentflow/internal/repofile"
	"agentflow/memory"
	"agentflow/memory/markdown"
)

// tallies keep the facts of each file of memory, and what was counted in it, so that only files
// that may have changed are read again. For 100,000 entries, each with a fact,
// the first time takes about 3 s.
type tallies struct {
	mu    sync.Mutex
	files map[string]fileTally // by absolute path
}

// fileTally is what a file holds.
type fileTally struct {
	info  os.FileInfo
	fresh bool // it was changed so shortly before it was read that a change since may not show

	blocks, runs, sessions, commits, notes int

	days  map[string]dayTally // of runs and sessions, by local date
	facts []storedFact        // see slim; those of the newest entry first
}

// dayTally counts the runs of a day.
type dayTally struct {
	runs, failed int
	cost         float64 // US dollars, of sessions too
}

// tally counts in all files of this memory. What a file could not tell goes to
// warn; the error is that of the list of files, or of a context that ended.
func (s *openMemory) tally(ctx context.Context, now time.Time, warn func(error)) ([]fileTally, error) {
	paths, err := s.files()
	if err != nil {
		return nil, fmt.Errorf("reading memory: %w", err)
	}
	s.tallies.mu.Lock()
	defer s.tallies.mu.Unlock()
	old := s.tallies.files
	current := map[string]fileTally{}
	maps.Copy(current, old)
	maps.DeleteFunc(current, func(path string, _ fileTally) bool { return isBelow(path, s.Memory()) })
	var list []fileTally
	for _, path := range paths {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		t, err := s.tallyFile(path, old[path], now)
		switch {
		case repofile.IsAbsent(err): // it went meanwhile
		case err != nil:
			warn(fmt.Errorf("reading memory: %w", err))
		default:
			current[path] = t
			list = append(list, t)
		}
	}
	s.tallies.files = current
	return list, nil
}

func isBelow(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}

// tallyFile counts in a file, unless it is as it was when that was done.
func (s *openMemory) tallyFile(path string, before fileTally, now time.Time) (t fileTally, err error) {
	info, err := os.Lstat(path)
	if err != nil {
		return t, err
	}
	if before.info != nil && !before.fresh && os.SameFile(info, before.info) && info.ModTime().Equal(before.info.ModTime()) && info.Size() == before.info.Size() {
		return before, nil
	}
	data, err := readMemory(path)
	if err != nil {
		return t, err
	}
	t = fileTally{info: info, fresh: now.Sub(info.ModTime()).Abs() < freshFor, days: map[string]dayTally{}}
	rel, _ := filepath.Rel(s.Root, path)
	for _, b := range markdown.Parse(data).NewestFirst() {
		t.blocks++
		if b.Entry != nil {
			t.countEntry(b.Entry)
		}
		if rel == filepath.FromSlash(feedback) {
			continue // judgements say nothing of the project
		}
		for _, at := range b.Facts {
			t.facts = append(t.facts, s.factAt(storedBlock{Block: b, File: filepath.ToSlash(rel), Path: path}, at).slim())
		}
	}
	return t, nil
}

// slim is the fact without the text around it, and with texts of its own, so
// that what keeps it does not keep its file. Of its entry it has what says
// something of the fact.
func (k storedFact) slim() storedFact {
	if k.Entry != nil {
		k.Entry = &memory.Entry{ID: strings.Clone(k.Entry.ID), Kind: k.Entry.Kind, Time: k.Entry.Time, Pinned: k.Entry.Pinned}
	}
	k.Block = markdown.Block{Entry: k.Entry}
	for _, text := range []*string{&k.ID, &k.Text, &k.Category, &k.Key, &k.Namespace, &k.Supersedes, &k.SupersededBy, &k.Source, &k.Agent, &k.Session, &k.Said, &k.Edited, &k.Reason, &k.Commit} {
		*text = strings.Clone(*text)
	}
	k.Tags = slices.Clone(k.Tags)
	for i, tag := range k.Tags {
		k.Tags[i] = strings.Clone(tag)
	}
	return k
}

func (t *fileTally) countEntry(e *memory.Entry) {
	switch e.Kind {
	case memory.KindCommit:
		t.commits++
	case memory.KindNote:
		t.notes++
	case memory.KindSession:
		t.sessions++
		t.countDay(e)
	case memory.KindRun:
		t.runs++
		t.countDay(e)
	}
}

func (t *fileTally) countDay(e *memory.Entry) {
	date := e.Time.Local().Format(time.DateOnly)
	d := t.days[date]
	if e.Result != nil {
		d.cost += e.Result.CostUSD
	}
	if e.Kind == memory.KindRun {
		d.runs++
		if e.Result == nil || !e.Result.Success {
			d.failed++
		}
	}
	t.days[date] = d
}
