package attribution

import (
	"os/exec"
	"strings"
	"time"
)

// run runs a shell script in a folder. If trace is not empty, git in the script
// writes the ref trace to that file. The output and the failure matter only for
// the log: actors also try the impossible.
func (s *scenario) run(dir, trace, script string) string {
	cmd := s.sh(dir, trace, script)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return strings.TrimSpace(string(out)) + " (" + err.Error() + ")"
	}
	return string(out)
}

func (s *scenario) sh(dir, trace, script string) *exec.Cmd {
	cmd := exec.CommandContext(s.t.Context(), "sh", "-c", script)
	date := time.Now().Format(time.RFC3339)
	cmd.Dir, cmd.Env = dir, append(s.f.Env(), "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date)
	if trace != "" {
		cmd.Env = append(cmd.Env, "GIT_TRACE_REFS="+trace)
	}
	return cmd
}

// git asks git about the repository.
func (s *scenario) git(args ...string) string {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), "git", args...)
	cmd.Dir, cmd.Env = s.dir, append(s.f.Env(), "GIT_OPTIONAL_LOCKS=0")
	if s.dir != s.main && len(args) > 0 && args[0] == "worktree" {
		cmd.Dir = s.main
	}
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("git %q: %v\n%s", args, err, strings.Join(s.log, "\n"))
	}
	return string(out)
}

// tryGit runs git and returns "" on an error.
func (s *scenario) tryGit(args ...string) string {
	cmd := exec.CommandContext(s.t.Context(), "git", args...)
	cmd.Dir, cmd.Env = s.dir, append(s.f.Env(), "GIT_OPTIONAL_LOCKS=0")
	out, _ := cmd.Output()
	return string(out)
}
