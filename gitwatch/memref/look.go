package memref

import (
	"bytes"
	"path/filepath"
	"strings"

	"agentflow/gitwatch/internal/repo"
	"agentflow/internal/safefile"
)

// A git process takes 1 to 2 ms, and a fetch from a folder of this machine starts four. The
// functions of this file read the files of refs instead. They only report whether everything is
// unchanged. They return false for anything they do not support, and then git is asked.

// Bounds of the files of refs, in bytes. More packed refs, some 15,000, are left to git, which
// searches in them.
const (
	maxLoose  = 4 << 10
	maxPacked = 1 << 20
)

// Stands reports whether a remote's ref is at a commit. It can return true only for a remote that
// is a folder of this machine. If it returns false, Fetch gives the answer.
func (r Repo) Stands(remote, ref, commit string) bool {
	dir := repo.RemoteFolder(r.Dir, remote)
	return dir != "" && commit != "" && isAt(dir, ref, commit)
}

// Keeps reports whether the refs of this repository are at commits. An empty commit means that the
// ref must not exist. At least one must be a commit, which shows that refs are files here. If Keeps
// returns false, Refs gives the answer.
func (r Repo) Keeps(refs map[string]string) bool {
	dir, found := r.common(), false
	if dir == "" {
		return false
	}
	for ref, commit := range refs {
		if !isAt(dir, ref, commit) {
			return false
		}
		found = found || commit != ""
	}
	return found
}

// isAt reports whether a ref of a git directory is at a commit or, if commit is empty, whether
// there is no such ref. gitrepository-layout(5) describes the files.
func isAt(dir, ref, commit string) bool {
	text, err := safefile.Read(filepath.Join(dir, filepath.FromSlash(ref)), safefile.AnyLink, maxLoose)
	switch {
	case err == nil:
		return commit != "" && strings.TrimSpace(string(text)) == commit
	case !safefile.IsAbsent(err):
		return false
	}
	packed, err := safefile.Read(filepath.Join(dir, "packed-refs"), safefile.AnyLink, maxPacked)
	if err != nil && !safefile.IsAbsent(err) {
		return false
	}
	end := bytes.Index(packed, []byte(" "+ref+"\n"))
	if end < 0 {
		return commit == ""
	}
	return string(packed[bytes.LastIndexByte(packed[:end], '\n')+1:end]) == commit
}
