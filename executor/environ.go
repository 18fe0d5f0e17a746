package executor

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/executor/runfolder"
	"agentflow/internal/proc"

	"github.com/google/uuid"
)

// traceRefsVar makes git log each ref update of the agent's process tree.
const traceRefsVar = "GIT_TRACE_REFS"

// nestedVars make a Claude CLI assume that it runs inside another one. No other variable of its
// environment is removed: tokens and the settings of cloud providers have the same prefix.
var nestedVars = []string{
	"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_SESSION_ID",
	"CLAUDE_CODE_EXECPATH", "CLAUDE_CODE_SSE_PORT", "AI_AGENT",
}

// agentVars reveal the shells of agents.
var agentVars = []string{proc.TagVar, "CLAUDECODE", "AI_AGENT", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "GEMINI_CLI", "OPENCODE"}

// byAgent reports whether an environment is that of an agent's shell.
func byAgent(env []string) bool {
	return slices.ContainsFunc(agentVars, func(name string) bool { return proc.Variable(env, name) != "" })
}

// Environ returns base without a run's token and without the variables that make a Claude CLI
// assume that it runs inside another one.
func Environ(base []string) []string { return environment(base, "", "") }

// environment returns the environment of an agent that is made from base, except the run's id,
// which process control adds. git logs the refs that it moves in refsLog. token proves that a
// process belongs to the run. Empty values are left out. The token of another run is never
// passed on.
func environment(base []string, refsLog, token string) []string {
	env := slices.DeleteFunc(slices.Clone(base), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.ContainsFunc(nestedVars, func(v string) bool { return proc.SameVariable(v, name) }) ||
			refsLog != "" && proc.SameVariable(traceRefsVar, name) || proc.SameVariable(TokenVar, name)
	})
	if refsLog != "" {
		env = append(env, traceRefsVar+"="+refsLog)
	}
	if token != "" {
		env = append(env, TokenVar+"="+token)
	}
	return env
}

// NestedError is returned for a run that is started from inside another run of the same
// repository.
type NestedError struct{ RunID string }

func (e *NestedError) Error() string {
	return fmt.Sprintf("start a run: this is already part of run %s of this repository, which is still active", e.RunID)
}

// Hint says how to continue.
func (e *NestedError) Hint() string {
	return "do the work in the active run, or unset " + proc.TagVar + " to start another"
}

// refuseNested returns an error if this process belongs to a live run. It ignores the variable
// of a run that is over.
func refuseNested(environ []string, runsDir string) error {
	id := proc.Variable(environ, proc.TagVar)
	// The value becomes part of a path.
	if uuid.Validate(id) != nil || runsDir == "" {
		return nil
	}
	if runfolder.Live(filepath.Join(runsDir, id)) {
		return &NestedError{RunID: id}
	}
	return nil
}

// TokenVar names the variable that proves to our tools for which run an agent, or a
// process that it started, works. The run's id proves nothing, because memory contains it.
const TokenVar = "AGENTFLOW_RUN_TOKEN"
