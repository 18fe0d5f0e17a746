package app

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"agentflow/memory"
)

// countFacts counts what can be told from the facts alone.
func countFacts(list []storedFact, now time.Time) statsObject {
	o := statsObject{Types: map[string]int{}, Namespaces: map[string]int{}, Categories: map[string]int{}, Tags: map[string]int{},
		Sources: map[string]int{}, Ages: map[string]int{}, Uses: []useObject{}}
	for _, k := range list {
		switch {
		case k.Struck:
			o.Struck++
			continue
		case !k.Live(now):
			o.Expired++
			continue
		}
		o.Live++
		if k.pinned() {
			o.Pinned++
		}
		o.Types[cmp.Or(string(k.Type), "none")]++
		o.Namespaces[namespaceText(k.Namespace)]++
		o.Sources[sourceKind(k)]++
		o.Ages[ageOf(k.created(), now)]++
		if k.Category != "" {
			o.Categories[k.Category]++
		}
		for _, tag := range k.Tags {
			o.Tags[tag]++
		}
	}
	return o
}

// sourceKind is a fact's source, with all runs as one.
func sourceKind(k storedFact) string {
	if len(k.Source) == fullID || k.Source == "" && k.Entry != nil && k.Entry.Kind == memory.KindRun {
		return "run"
	}
	return cmp.Or(k.Source, memory.ByHand)
}

// ages are the names of stretches of time, with how many days each reaches
// back.
var ages = []struct {
	name string
	days int
}{{"day", 1}, {"week", 7}, {"month", 30}, {"year", 365}}

func ageOf(at, now time.Time) string {
	if at.IsZero() {
		return "unknown"
	}
	for _, a := range ages {
		if !at.Before(now.AddDate(0, 0, -a.days)) {
			return a.name
		}
	}
	return "older"
}

// countFiles measures the memory folder.
func (s *site) countFiles(o *statsObject) error {
	names, err := s.files()
	if err != nil {
		return fmt.Errorf("counting memory: %w", err)
	}
	for _, name := range names {
		info, err := os.Stat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // consolidation may fold a file just now
		}
		if err != nil {
			return fmt.Errorf("counting memory: %w", err)
		}
		o.Files++
		o.Bytes += info.Size()
	}
	data, err := readMemory(filepath.Join(s.Memory(), memory.LastingFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("counting memory: %w", err)
	}
	o.MemoryMD.Lines, o.MemoryMD.Bytes = bytes.Count(data, []byte("\n")), len(data)
	return nil
}
