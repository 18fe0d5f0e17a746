//go:build e2e

package main_test

import (
	"encoding/json"
	"path/filepath"
	"strings"

	. "agentflow/internal/testing/modeltest"
)

// inWorktrees lets Claude commit in separate work trees, one run after the
// other because the server's turns are in order, with a limit on the cost of both.
func inWorktrees(l *lab) {
	l.config(allowAll)
	commit := func(name string) Turn {
		return Use("Bash", in{"command": "echo " + name + " > " + name + " && git add " + name + " && git commit -q -m 'made " + name + "'", "description": "Commit"})
	}
	l.answer(Script{Main: []Turn{commit("one"), Say("One is made."), commit("two"), Say("Two is made.")}})
	l.write("main.go", "edited by the user\n")
	l.write("../tasks.txt", "Make one\nMake two\n")
	head := l.git("rev-parse", "HEAD")
	f := l.run(0, "run", "--json", "--parallel", "1", "--max-total-cost", "5", "-f", filepath.Join(l.project, "../tasks.txt"))
	var runs []record
	l.must(json.Unmarshal([]byte(f.stdout), &runs))
	for i, name := range []string{"one", "two"} {
		r := runs[i]
		if len(r.Commits) != 1 || r.Commits[0].Subject != "made "+name || len(r.Meanwhile)+len(r.Uncommitted) > 0 || !r.Success {
			l.Errorf("%s: %+v", name, r)
			continue
		}
		if on := l.git("branch", "--contains", r.Commits[0].ID); !strings.Contains(on, "agentflow/make-"+name) {
			l.Errorf("%s is on %q", name, on)
		}
	}
	if l.git("rev-parse", "HEAD") != head || l.git("status", "--porcelain") != "M main.go" {
		l.Errorf("the user's work tree: %s", l.git("status", "--porcelain"))
	}
}
