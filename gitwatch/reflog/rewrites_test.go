package reflog

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentflow/internal/testing/gittest"
)

func TestRewritesRecord(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rewrites")
	a, b, c := strings.Repeat("a", 40), strings.Repeat("b", 40), strings.Repeat("c", 40)
	gittest.Must(t, RecordRewrites(file, nil))
	gittest.Must(t, RecordRewrites(file, []Rewrite{{a, b}}))
	gittest.Must(t, os.WriteFile(file, []byte(a+" "+b+"\nnonsense\n"+b+" "), 0o600)) // cut off
	gittest.Must(t, RecordRewrites(file, []Rewrite{{b, c}}))
	next, err := ReadRewrites(file)
	gittest.Must(t, err)
	gittest.Want(t, "record", fmt.Sprint(len(next), next[a][0] == b, next[b][0] == c), "2 true true")
	for range 20 {
		gittest.Must(t, RecordRewrites(file, repeated(Rewrite{a, b}, 2000)))
	}
	gittest.Must(t, RecordRewrites(file, []Rewrite{{c, a}}))
	info, err := os.Stat(file)
	gittest.Must(t, err)
	if next, err = ReadRewrites(file); err != nil || info.Size() > 2*maxRewrites || len(next[c]) != 1 {
		t.Errorf("%d bytes, error %v", info.Size(), err)
	}
}

func repeated(w Rewrite, n int) (list []Rewrite) {
	for range n {
		list = append(list, w)
	}
	return list
}
