package executor

import (
	"runtime"
	"slices"
	"strings"
)

// traceRefsVar makes git log each ref update of the agent's process tree.
const traceRefsVar = "GIT_TRACE_REFS"

// nestedVars make a Claude CLI believe that it runs inside another. Nothing
// else of its environment is taken out: the same prefix carries tokens and
// the settings of cloud providers.
func nestedVars() []string {
	return []string{
		"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_SESSION_ID",
		"CLAUDE_CODE_EXECPATH", "CLAUDE_CODE_SSE_PORT", "AI_AGENT",
	}
}

// Environ returns base without what makes a Claude CLI believe that it runs
// inside another.
func Environ(base []string) []string { return environment(base, "") }

// environment returns base as an agent gets it, but for the run's id, which
// process control puts in. refsLog is where git writes the refs it moves;
// empty leaves that out.
func environment(base []string, refsLog string) []string {
	out := nestedVars()
	if refsLog != "" {
		out = append(out, traceRefsVar)
	}
	env := make([]string, 0, len(base)+1)
	for _, pair := range base {
		name, _, _ := strings.Cut(pair, "=")
		if !slices.ContainsFunc(out, func(v string) bool { return sameVar(v, name) }) {
			env = append(env, pair)
		}
	}
	if refsLog != "" {
		env = append(env, traceRefsVar+"="+refsLog)
	}
	return env
}

// sameVar compares names as the system does.
func sameVar(a, b string) bool {
	if runtime.GOOS == "windows" {
		return strings.EqualFold(a, b)
	}
	return a == b
}

// lookup finds a variable in an environment.
func lookup(env []string, name string) string {
	for _, pair := range slices.Backward(env) {
		if n, value, ok := strings.Cut(pair, "="); ok && sameVar(n, name) {
			return value
		}
	}
	return ""
}
