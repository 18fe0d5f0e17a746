package app

import (
	"testing"

	"agentflow/memorytool"
)

// TestMemoryToolBeforeThereIsMemory views and writes where nothing was
// remembered yet.
func TestMemoryToolBeforeThereIsMemory(t *testing.T) {
	p := newRepository(t)
	agent := p.memory().AgentSession(Agent{Name: "claude-code", Session: "s1"})
	const header = "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n"
	view := memorytool.Command{Command: memorytool.View, Path: "/memories"}
	if text := must(agent.MemoryTool(t.Context(), view))(t); text != header+"0B\t/memories" || p.Exists(".agentflow") {
		t.Errorf("an empty directory is %q", text)
	}
	text := "- I like tea\n"
	must(agent.MemoryTool(t.Context(), memorytool.Command{Command: memorytool.Create, Path: "/memories/prefs.txt", FileText: &text}))(t)
	if got := p.Read(".agentflow/memory/notes/prefs.txt.md"); got != text {
		t.Errorf("the file holds %q", got)
	}
	if text := must(agent.MemoryTool(t.Context(), view))(t); text != header+"13B\t/memories\n13B\t/memories/prefs.txt" {
		t.Errorf("the directory is %q", text)
	}
	hits := must(p.memory().Search(t.Context(), SearchRequest{Text: "tea", Limit: 3}))(t)
	if len(hits.Hits) != 1 || hits.Hits[0].Path != "memory/notes/prefs.txt.md" {
		t.Errorf("search finds %+v", hits.Hits)
	}
}
