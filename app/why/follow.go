package why

import (
	"slices"

	"agentflow/app"
	"agentflow/app/settle"
	"agentflow/gitwatch/blame"
	"agentflow/gitwatch/history"
)

// followState is the result of following a line into the commits that a commit
// was made of.
type followState int

const (
	notRead  followState = iota // git no longer has those commits
	cameAnew                    // they do not have the line
	followed
)

// follow looks for a line in the commits that its commit was made of, the newest
// first, and returns the line's origin there.
func (w *whyFinder) follow(by whose, made []claim, line int) (whose, followState) {
	state, content := notRead, w.versions.fileAt(by.commit, by.path)
	for _, c := range made {
		for _, old := range slices.Backward(c.as) {
			before := w.versions.fileAt(old, by.path)
			if before != nil || w.versions.isThere(old) {
				state = cameAnew
			}
			if before == nil || content == nil {
				continue
			}
			at := w.versions.matched(old, by.commit, by.path, before, content)
			if line > len(at) || at[line-1] < 0 {
				continue
			}
			if then, ok := w.whoseEarlier(by, made, old, at[line-1]+1); ok {
				return then, followed
			}
		}
	}
	return by, state
}

// isThere reports whether git still has a commit.
func (w *versions) isThere(commit string) bool {
	is, known := w.there[commit]
	if !known {
		found, err := history.Times(w.ctx, app.GitFolder(w.mem), []string{commit})
		is = err == nil && len(found) > 0
		w.there[commit] = is
	}
	return is
}

// matched pairs the lines of a file in two commits, once.
func (w *versions) matched(old, now, path string, before, after []byte) []int {
	key := [3]string{old, now, path}
	if _, known := w.pairs[key]; !known {
		w.pairs[key] = blame.Match(before, after)
	}
	return w.pairs[key]
}

// whoseEarlier blames a line in an earlier form of its commit, and returns the origin of the
// commit found.
func (w *whyFinder) whoseEarlier(by whose, claims []claim, old string, line int) (whose, bool) {
	h, ok := w.versions.earlierLine(old, by.path, line)
	if !ok {
		return by, false
	}
	for _, c := range claims {
		if slices.Contains(c.as, h.Commit) {
			return w.whoseNamed(by, c, h.Commit, h.Path, h.Was), true
		}
	}
	w.makers.findNamed(settle.IdSet{h.Commit: true})
	if named := w.makers.claims[h.Commit]; len(named) > 0 {
		return w.whoseNamed(by, named[0], h.Commit, h.Path, h.Was), true
	}
	return by, false
}

// earlierLine blames one line of a file in a commit. It blames all lines of
// the file at once, because the next line is usually needed soon.
func (w *versions) earlierLine(commit, path string, line int) (blame.Hunk, bool) {
	key := commit + ":" + path
	file, known := w.earlier[key]
	if !known {
		if w.gitReads++; w.gitReads <= maxContents {
			file, _ = blame.Lines(w.ctx, w.mem.Worktree, commit, path, 0, 0)
		}
		w.earlier[key] = file
	}
	for _, h := range file.Hunks {
		if line >= h.Line && line < h.Line+h.Count {
			h.Was += line - h.Line
			return h, true
		}
	}
	return blame.Hunk{}, false
}
