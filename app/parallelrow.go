package app

import (
	"bytes"
	"fmt"
	"slices"
	"sync"
	"time"

	"agentflow/executor"
	"agentflow/executor/agent"
	"agentflow/executor/progress"
	"agentflow/memory"
)

// row is one run on a board.
type row struct {
	board *board
	n     int
	name  string
	agent string
	state *progress.State // guarded by the board's mutex; nil until the run has its work tree

	mu   sync.Mutex
	rest []byte // of the agent's standard error: a line that has not ended
}

func (b *board) begin(n int, req executor.Request) *row {
	r := &row{board: b, n: n, name: slug(memory.Title(req.Task)), agent: req.Agent.Name()}
	b.mu.Lock()
	b.rows = append(b.rows, r)
	b.mu.Unlock()
	r.say("%s", memory.Title(req.Task))
	return r
}

// in says where the run works.
func (r *row) in(tree *ownTree) {
	r.say("branch %s", tree.Branch)
	r.board.mu.Lock()
	defer r.board.mu.Unlock()
	r.state = progress.New(r.agent, tree.Path, r.board.now())
}

func (r *row) end() {
	r.mu.Lock()
	open := len(r.rest) > 0
	r.mu.Unlock()
	if open {
		r.Write([]byte{'\n'})
	}
	b := r.board
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rows = slices.DeleteFunc(b.rows, func(other *row) bool { return other == r })
}

// line is the run on a terminal.
func (r *row) line(now time.Time, columns int) string {
	if r.state == nil {
		return "making its work tree"
	}
	return r.state.Line(now, columns)
}

// say is a line of this run, where none is drawn.
func (r *row) say(format string, args ...any) {
	if r.board.plain {
		r.board.say("[%d] %s", r.n+1, fmt.Sprintf(format, args...))
	}
}

// event is for executor.Deps.Sink.
func (r *row) event(ev agent.Event) {
	r.board.mu.Lock()
	r.state.Add(ev)
	line := r.state.Plain(ev)
	r.board.mu.Unlock()
	if line != "" {
		r.say("%s", line)
	}
}

// maxRest bounds a line of an agent's standard error, in bytes.
const maxRest = 8 << 10

// Write takes the agent's standard error and passes on whole lines, so that
// those of several agents stay apart.
func (r *row) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rest = append(r.rest, p...)
	for {
		end := bytes.IndexByte(r.rest, '\n')
		if end < 0 && len(r.rest) < maxRest {
			return len(p), nil
		}
		line := r.rest
		if end >= 0 {
			line = r.rest[:end]
		}
		fmt.Fprintf(r.board, "[%d] %s\n", r.n+1, memory.Clean(string(line)))
		r.rest = r.rest[min(len(line)+1, len(r.rest)):]
	}
}
