//go:build e2e

package main_test

import (
	"regexp"
	"strings"

	. "agentflow/internal/testing/modeltest"
)

const saidByARun = `# 2026-11-05

## 2026-11-05 10:00 · Look at the clock

<!-- agentflow v=1 kind=run id=01900000-0000-7000-8000-0000000000aa time=2026-11-05T10:00:00Z outcome=ok -->

**Task**: Look at the clock

### Memories
- The login test reads the wall clock. <!-- id=01900000-0000-7000-8000-0000000000ab type=semantic importance=0.5 -->

---
`

// usesTools: the CLI starts the server of memory's tools; the model searches,
// stores and deletes, and gets the texts. The fact that it stores names its session
// and run.
func usesTools(l *lab) {
	l.config("[agent.claude]\nallowed_tools = ['mcp__agentflow']\n")
	l.run(0, "init")
	l.write(".agentflow/memory/2026-11-05.md", saidByARun)
	type in = map[string]any
	l.answer(Script{Main: []Turn{
		Use("mcp__agentflow__memory_search", in{"query": "login test clock"}),
		Use("mcp__agentflow__memory_store", in{"text": "The login test uses synctest now.", "key": "login.test", "importance": 1}),
		Use("mcp__agentflow__memory_delete", in{"id": "0000000000ab"}),
		Say("The memory is right again, and the login test is explained in it."),
	}})
	l.run(0, "run", "--no-recall", "Tidy up what is known of the login test")
	asked := l.server.Requests(Main)
	var results []string
	for _, r := range asked {
		results = append(results, r.Results()...)
	}
	said := strings.Join(results, "\n---\n")
	for _, want := range []string{"memory/2026-11-05.md:3-", "The login test reads the wall clock.", "remembered · id ", "importance 0.7", "forgot "} {
		if !strings.Contains(said, want) {
			l.Errorf("the model got no %q in\n%s", want, said)
		}
	}
	if body := string(asked[0].Body); !strings.Contains(body, "Search it with memory_search before you answer") || !strings.Contains(body, "mcp__agentflow__memory_get") {
		l.Error("the model was not told of the tools")
	}
	m := l.memory()
	fact := regexp.MustCompile(`- The login test uses synctest now\. <!-- .*source=([0-9a-f-]{36}) agent=claude-code session=([0-9a-f-]{36}) `).FindStringSubmatch(m)
	if fact == nil || !strings.Contains(m, "kind=run id="+fact[1]) || strings.Contains(m, "wall clock. <!--") {
		l.Errorf("memory:\n%s", m)
	}
}

// mayOnlyRead: without permission only the tools that read work; with
// --no-tools there are none.
func mayOnlyRead(l *lab) {
	l.run(0, "init")
	l.write(".agentflow/memory/2026-11-05.md", saidByARun)
	type in = map[string]any
	l.answer(Script{Main: []Turn{
		Use("mcp__agentflow__memory_search", in{"query": "login test clock"}),
		Use("mcp__agentflow__memory_store", in{"text": "The login test uses synctest now."}),
		Say("It reads the wall clock."),
	}})
	f := l.run(0, "run", "--no-recall", "What does the login test read?")
	said := ""
	for _, r := range l.server.Requests(Main) {
		said += strings.Join(r.Results(), "\n")
	}
	if !strings.Contains(said, "reads the wall clock") || !strings.Contains(said, "requested permissions") || !strings.Contains(f.stderr, "denied: mcp__agentflow__memory_store") {
		l.Errorf("the model got\n%s\nand stderr\n%s", said, f.stderr)
	}
	if strings.Contains(l.memory(), "synctest") {
		l.Errorf("memory:\n%s", l.memory())
	}
	l.answer(Script{Main: []Turn{Say("There are no tools of memory here, and nothing is left to be done about it.")}})
	l.run(0, "run", "--no-tools", "Look for tools")
	if strings.Contains(string(l.server.Requests(Main)[0].Body), "mcp__agentflow") {
		l.Error("tools were offered")
	}
}
