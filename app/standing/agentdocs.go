package standing

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/app"
	"agentflow/app/agentfiles"
	"agentflow/executor"
	"agentflow/internal/agentdocs"
	"agentflow/memory"
	"agentflow/memory/retrieval"
	"agentflow/prompt"
)

// autoMemoryName names Claude's auto memory in messages.
const autoMemoryName = "Claude's auto memory"

// autoMemory lists the statements in Claude's auto memory of this repository as facts.
func autoMemory(_ context.Context, s *app.Repo) (list []prompt.Fact, err error) {
	for _, r := range agentfiles.Place(s).Remember() {
		fact := memory.Fact{Text: r.Text, Source: agentdocs.AutoMemory, Created: r.Time}
		list = append(list, prompt.Fact{Fact: fact, Path: agentfiles.AutoPrefix + filepath.Base(r.File), Line: r.Line, Standing: true, From: autoMemoryName})
	}
	return list, nil
}

// LeaveOutRead removes from found the text that the agent already reads in files that it loads:
// sections of these files, and facts and notes that these files state. It does nothing for a caller
// of a team's server, who has other files.
func LeaveOutRead(s *app.Repo, agent string, found *executor.Known) {
	if agent == "" || !s.Policy.HasAgents() || len(found.Facts)+len(found.Notes)+len(found.Hits) == 0 {
		return
	}
	texts := agentdocs.Read(agent, agentfiles.Place(s))
	found.Facts = unread(s, texts, agent, found.Facts, &found.Read)
	found.Notes = unread(s, texts, agent, found.Notes, &found.Read)
	found.Hits = slices.DeleteFunc(found.Hits, func(h retrieval.Hit) bool {
		file := readIn(s, texts, agent, h)
		if file != "" {
			found.ReadHits = append(found.ReadHits, executor.ReadHit{Hit: h, File: file})
		}
		return file != ""
	})
}

// unread returns the facts that an agent has not read, and appends the others to read.
func unread(s *app.Repo, texts agentdocs.Texts, agent string, facts []prompt.Fact, read *[]executor.ReadFact) []prompt.Fact {
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
func readIn(s *app.Repo, texts agentdocs.Texts, agent string, h retrieval.Hit) string {
	switch {
	case h.Repository != "" || h.Author != "":
		return ""
	case strings.HasPrefix(h.Path, agentfiles.AutoPrefix):
		return map[string]string{"claude": autoMemoryName}[agent]
	case h.Kind == "" && texts.Reads(filepath.Join(app.Top(s), filepath.FromSlash(h.Path))):
		return h.Path
	case h.Kind == memory.KindNote:
		file, _ := texts.Says(prompt.Said(h))
		return file
	}
	return ""
}
