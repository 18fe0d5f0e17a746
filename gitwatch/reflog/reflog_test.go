package reflog

import (
	"fmt"
	"testing"

	"agentflow/internal/testing/gittest"
)

// TestReflogByGit reads one reflog from its file and through git.
func TestReflogByGit(t *testing.T) {
	f := gittest.New(t)
	none, err := OfHead(f.Path(".git"))
	gittest.Must(t, err)
	gittest.Want(t, "unborn", fmt.Sprint(none), "[]")
	f.Commit("first\tline", "a", "a")
	f.Commit("second", "a", "b")
	f.Git("checkout", "-q", "-b", "side", "HEAD~1")
	f.Git("checkout", "-q", "--detach", "main")
	f.Git("reset", "-q", "--hard", "HEAD~1")
	byFile, err := OfHead(f.Path(".git"))
	gittest.Must(t, err)
	byGit, err := OfHeadByGit(t.Context(), f.Dir)
	gittest.Must(t, err)
	for i := range byFile {
		byFile[i].line = "" // only a file has it
	}
	gittest.Want(t, "reflog", fmt.Sprint(byGit), fmt.Sprint(byFile))
	if len(byFile) != 5 || byFile[4].Message != "reset: moving to HEAD~1" {
		t.Errorf("got %+v", byFile)
	}
}
