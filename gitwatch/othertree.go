package gitwatch

import (
	"context"
	"os"
	"path/filepath"

	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/objects"
	"agentflow/gitwatch/internal/repo"
	"agentflow/gitwatch/toolcalls"
)

// otherTree is a working tree other than the one that the run works in.
type otherTree struct {
	top            string      // absolute; empty: the files are in no working tree
	isOwn          bool        // it is the run's working tree after all
	sameRepository bool        // it belongs to the repository of the run
	at             *repo.Place // nil if its repository cannot be read
	objects        *objects.Reader
}

// otherTrees finds the working trees of files.
type otherTrees struct {
	own   *repo.Place
	home  string // a repository there, or above, does not count for a file below
	byTop map[string]*otherTree
}

// of returns the innermost working tree that holds a file.
func (l *otherTrees) of(ctx context.Context, file string) *otherTree {
	top := l.topOf(file)
	t, known := l.byTop[top]
	if !known {
		t = l.open(ctx, top)
		l.byTop[top] = t
	}
	return t
}

func (l *otherTrees) topOf(file string) string {
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		if dir == l.own.Top {
			return dir
		}
		if below, err := filepath.Rel(dir, l.home); l.home != "" && err == nil && filepath.IsLocal(below) {
			return ""
		}
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

func (l *otherTrees) open(ctx context.Context, top string) *otherTree {
	t := &otherTree{top: top, isOwn: top == l.own.Top}
	if top == "" || t.isOwn {
		return t
	}
	if at, err := repo.Find(ctx, top); err == nil {
		t.at, t.sameRepository, t.objects = at, at.CommonDir == l.own.CommonDir, objects.Open(ctx, at)
	}
	return t
}

func (l *otherTrees) close() {
	for _, t := range l.byTop {
		if t.objects != nil {
			t.objects.Close()
		}
	}
}

// maxEarlier limits the commits of another working tree searched for the text that a file had
// before the run.
const maxEarlier = 50

// earlier finds the text of a file with a TextID in the tree's last commits. Without an id it
// returns the text in the last commit. The content is nil if it is not available. found reports
// whether there was a file.
func (t *otherTree) earlier(ctx context.Context, path, id string) (content []byte, found bool) {
	if t.at == nil {
		return nil, false
	}
	_, commit, err := t.objects.Store.Head()
	for n := 0; n < maxEarlier && err == nil && commit != "" && ctx.Err() == nil; n++ {
		if file := t.inCommit(commit, path); git.IsRegular(file.Mode) {
			found = true
			if content, err := t.objects.Blob(git.KnownID(file.Hash)); err == nil && (id == "" || toolcalls.TextID(content) == id) {
				return content, true
			}
		}
		c, err := t.objects.Commit(commit)
		if id == "" || err != nil || len(c.Parents) == 0 {
			break
		}
		commit = c.Parents[0]
	}
	return nil, found
}

// inHead returns the file in the tree's HEAD at a path.
func (t *otherTree) inHead(path string) objects.File {
	_, commit, err := t.objects.Store.Head()
	if err != nil || commit == "" {
		return objects.File{}
	}
	return t.inCommit(commit, path)
}

func (t *otherTree) inCommit(commit git.ID, path string) objects.File {
	tree, err := t.objects.TreeOf(commit)
	if err != nil {
		return objects.File{}
	}
	file, _ := t.objects.Lookup(tree, path)
	return file
}
