package app

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/agentdocs"
	"agentflow/connect"
	"agentflow/executor"
	"agentflow/internal/gitdir"
	"agentflow/internal/repofile"
	"agentflow/memory"
	"agentflow/prompt"
)

// autoPrefix is the prefix of paths in Claude's auto memory.
const autoPrefix = agentdocs.AutoMemory + "/"

// autoMemoryName names Claude's auto memory in messages.
const autoMemoryName = "Claude's auto memory"

// agentPlace returns the folders in which an agent of the caller works.
func agentPlace(s *openMemory) agentdocs.Place {
	auto := autoSettings(s)
	return agentdocs.Place{
		Home: s.dirs.Home, Claude: cmp.Or(s.getenv("CLAUDE_CONFIG_DIR"), filepath.Join(s.dirs.Home, ".claude")),
		Top: gitdir.Real(top(s)), Main: gitdir.Real(filepath.Dir(s.Root)), Dir: gitdir.Real(s.dir),
		Auto: auto.Folder, AutoOff: auto.Off,
	}
}

// autoSettings reads what Claude's settings say about its auto memory.
func autoSettings(s *openMemory) connect.AutoMemory {
	home := connect.Home{Getenv: s.getenv, Dir: s.dirs.Home}
	return home.AutoMemory(readLevels(home, "claude", top(s)), func() bool {
		state, err := repofile.Read(home.ClaudeState(), repofile.AnyLink, maxConnectFile)
		return err == nil && connect.ClaudeTrusts(state, filepath.Dir(s.Root))
	})
}

// wantsAutoMemory reports whether the settings ask for Claude's auto memory.
func wantsAutoMemory(s *openMemory) bool {
	return !s.isGlobal() && slices.Contains(s.settings.Index.Include, agentdocs.AutoMemory)
}

// autoFolder returns the folder of Claude's auto memory. It returns the empty string if the
// settings do not ask for it or there is no such folder.
func autoFolder(s *openMemory) string {
	if !wantsAutoMemory(s) {
		return ""
	}
	return agentPlace(s).AutoFolder()
}

// autoMemory lists the statements in Claude's auto memory of this repository as facts.
func autoMemory(_ context.Context, s *openMemory) (list []prompt.Fact, err error) {
	for _, r := range agentPlace(s).Remember() {
		fact := memory.Fact{Text: r.Text, Source: agentdocs.AutoMemory, Created: r.Time}
		list = append(list, prompt.Fact{Fact: fact, Path: autoPrefix + filepath.Base(r.File), Line: r.Line, Standing: true, From: autoMemoryName})
	}
	return list, nil
}

// leaveOutRead removes from found the text that the agent already reads in files that it loads:
// sections of these files, and facts and notes that these files state. It does nothing for a caller
// of a team's server, who has other files.
func leaveOutRead(s *openMemory, agent string, found *executor.Known) {
	if agent == "" || s.caller != nil || len(found.Facts)+len(found.Notes)+len(found.Hits) == 0 {
		return
	}
	texts := agentdocs.Read(agent, agentPlace(s))
	found.Facts = unread(s, texts, agent, found.Facts, &found.Read)
	found.Notes = unread(s, texts, agent, found.Notes, &found.Read)
	found.Hits = slices.DeleteFunc(found.Hits, func(h memory.Hit) bool {
		file := readIn(s, texts, agent, h)
		if file != "" {
			found.ReadHits = append(found.ReadHits, executor.ReadHit{Hit: h, File: file})
		}
		return file != ""
	})
}

// unread returns the facts that an agent has not read, and appends the others to read.
func unread(s *openMemory, texts agentdocs.Texts, agent string, facts []prompt.Fact, read *[]executor.ReadFact) []prompt.Fact {
	return slices.DeleteFunc(facts, func(f prompt.Fact) bool {
		file, said := texts.Says(f.Whole())
		if f.From != "" && agent == "claude" {
			file, said = autoMemoryName, true
		}
		if said && !slices.ContainsFunc(*read, func(r executor.ReadFact) bool { return r.Fact.Whole() == f.Whole() }) {
			*read = append(*read, executor.ReadFact{Fact: f, File: file})
		}
		return said
	})
}

// readIn names the file in which an agent has read a hit: the hit is a part of that file, or the
// file states all of it. It returns the empty string for other hits.
func readIn(s *openMemory, texts agentdocs.Texts, agent string, h memory.Hit) string {
	switch {
	case h.Repository != "" || h.Author != "":
		return ""
	case strings.HasPrefix(h.Path, autoPrefix):
		return map[string]string{"claude": autoMemoryName}[agent]
	case h.Kind == "" && texts.Reads(filepath.Join(top(s), filepath.FromSlash(h.Path))):
		return h.Path
	case h.Kind == memory.KindNote:
		file, _ := texts.Says(prompt.Said(h))
		return file
	}
	return ""
}
