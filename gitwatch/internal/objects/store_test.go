package objects

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/repo"
	"agentflow/internal/testing/gittest"
)

// TestStoresAgree asks go-git and the git program the same.
func TestStoresAgree(t *testing.T) {
	f := gittest.New(t)
	f.Commit("first", "a", "a", "dir/b", strings.Repeat("b", 1000))
	f.Git("tag", "-a", "-m", "a tag", "v1")
	f.Git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
	f.Git("clone", "-q", "--bare", "--depth=1", "file://"+f.Dir, "../shallow")
	gittest.Must(t, os.Rename(f.Path("../shallow/shallow"), f.Path(".git/shallow")))
	p, err := repo.Find(t.Context(), f.Dir)
	gittest.Must(t, err)
	for _, at := range []string{"main", "--detach", "--orphan=none"} {
		f.Git("checkout", "-q", at)
		var told []string
		for _, s := range []Store{openGo(p), &gitStore{at: p, ctx: t.Context()}} {
			defer s.Close()
			branch, head, err := s.Head()
			gittest.Must(t, err)
			refs, err := s.Refs()
			gittest.Must(t, err)
			grafts, err := s.Shallow()
			gittest.Must(t, err)
			says := fmt.Sprintln(branch, head, refs, grafts)
			for _, name := range []string{"v1", "main", "main^{tree}", "main:dir/b"} {
				id := git.KnownID(strings.TrimSpace(f.Git("rev-parse", name)))
				kind, raw, err := s.object(id, noLimit)
				gittest.Must(t, err)
				_, _, large := s.object(id, 100)
				says += fmt.Sprintf("%s %q %v\n", kind, raw, large)
			}
			_, _, err = s.object(git.KnownID(gittest.IDA), noLimit)
			_, _, small := s.object(git.KnownID(gittest.IDA), 10)
			told = append(told, says+fmt.Sprint(isMissing(err), isMissing(small)))
		}
		gittest.Want(t, at, told[1], told[0])
	}
}
