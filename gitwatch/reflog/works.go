package reflog

import (
	"context"
	"os"
	"path/filepath"

	"agentflow/gitwatch/internal/git"
)

// Works says whether the git that is found here writes a ref trace, as git 2.26
// and newer do. It asks for one in a temporary folder below dir.
func Works(ctx context.Context, workTree, dir string) bool {
	temp, err := os.MkdirTemp(dir, "trace-")
	if err != nil {
		return false
	}
	defer os.RemoveAll(temp)
	cmd, err := git.Command(ctx, workTree, "rev-parse", "--quiet", "--verify", "HEAD")
	if err != nil {
		return false
	}
	cmd.Env = append(cmd.Env, "GIT_TRACE_REFS="+filepath.Join(temp, traceFile))
	_ = cmd.Run() // an unborn HEAD is an answer too
	_, wrote, err := ReadTrace(temp)
	return err == nil && wrote
}
