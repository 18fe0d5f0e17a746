package app

import (
	"path/filepath"
	"strings"
	"unicode"

	"agentflow/gitwatch/worktree"
	"agentflow/memory"

	"golang.org/x/text/unicode/norm"
)

// newBranch is the value of --worktree without one; no branch can be called
// so, as it holds spaces.
const newBranch = "a new one"

// branchPrefix stands before the branches that runs are given.
const branchPrefix = "agentflow/"

// treeNames are the branch and the folder of a run's own work tree. The id's
// end keeps the folder's name apart from all others, and the branch's when
// nobody named it. task is redacted: branches get pushed.
func treeNames(asked, task, id string) (branch, folder string) {
	end := "-" + memory.ShortID(id)
	if asked != newBranch {
		return asked, slug(asked) + end
	}
	folder = slug(memory.Title(task)) + end
	return branchPrefix + folder, folder
}

// maxSlug bounds a slug, in bytes.
const maxSlug = 40

// slug is a text in a-z, 0-9 and single hyphens, as names of branches and
// folders have it everywhere. What has no such letters is a "run".
func slug(text string) string {
	var b strings.Builder
	gap := false
	for _, r := range norm.NFKD.String(strings.ToLower(text)) {
		switch {
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			b.WriteRune(r)
			gap = false
		case !unicode.Is(unicode.Mn, r): // an accent, taken off its letter
			gap = true
		}
	}
	out := b.String()
	if len(out) > maxSlug {
		out = out[:maxSlug+1]
		if at := strings.LastIndexByte(out, '-'); at > maxSlug/2 {
			out = out[:at]
		}
		out = strings.Trim(out[:min(len(out), maxSlug)], "-")
	}
	if out == "" {
		return "run"
	}
	return out
}

// treeFolders are where the work trees of runs stand, the first that can be
// made: beside the repository, so that nothing that walks it meets them, or
// in the user's state folder.
func (s *site) treeFolders() []string {
	root := filepath.Dir(s.Root)
	name := strings.TrimSuffix(filepath.Base(root), ".git")
	if name == "" { // a bare repository in .git
		name = filepath.Base(filepath.Dir(root))
	}
	var folders []string
	if filepath.Dir(root) == root {
		name = "root"
	} else {
		folders = append(folders, filepath.Join(filepath.Dir(root), name+".agentflow"))
	}
	if s.dirs.State != "" {
		hash := filepath.Base(s.dirs.Fallback(s.Place))
		folders = append(folders, filepath.Join(s.dirs.State, "worktrees", name+"-"+hash))
	}
	return folders
}

// isTree says whether a path is that of a run's own work tree.
func (s *site) isTree(path string) bool {
	for _, folder := range s.treeFolders() {
		if worktree.SamePath(filepath.Dir(path), folder) {
			return true
		}
	}
	return false
}

// shellWord is text as one word of a shell's command line.
func shellWord(text string) string {
	plain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_./+,:@%=~", r)
	}
	if text != "" && text[0] != '~' && strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
