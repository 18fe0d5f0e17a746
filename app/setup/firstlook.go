package setup

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"unicode"

	"agentflow/app"
	"agentflow/app/upkeep"
	"agentflow/gitwatch/blame"
	"agentflow/gitwatch/history"
	"agentflow/memory/changeset"
)

// FirstLook suggests first questions to memory about this repository. A field is empty if the history had nothing for
// it.
type FirstLook struct {
	Path     string   // a file that changed lately, relative to the top of the work tree, '/' separated
	Line     int      // one of its lines that changed lately
	Tasks    []string // subjects of recent commits, the most informative first; at most maxTasks
	Words    string   // from the subject of a commit other than the first task's
	Commits  int      // number of commits in the history
	Degraded []string
}

// firstLookCommits limits the newest commits that FirstLook examines.
const firstLookCommits = 30

// FindFirstLook chooses questions that have an answer, from the newest commits. It writes nothing. Errors have KindNoPlace
// or come from git.
func FindFirstLook(ctx context.Context, m *app.Memory) (look FirstLook, err error) {
	o := m.Begin(ctx)
	defer o.End(&look.Degraded, &err)
	place, _, err := o.Place()
	if err != nil || place.Worktree == "" {
		return look, err
	}
	bar := app.NewBar(o, "reading the history")
	defer bar.End()
	refs, err := history.IDs(ctx, place.Worktree, history.Range{Last: firstLookCommits})
	if errors.Is(err, history.ErrNoCommit) {
		return look, nil
	}
	if err != nil {
		return look, err
	}
	if look.Commits, err = history.Count(ctx, place.Worktree); err != nil {
		return look, err
	}
	ids := make([]string, len(refs))
	for i, ref := range refs {
		ids[len(refs)-1-i] = ref.ID // the newest first
	}
	commits, err := history.Read(ctx, place.Worktree, ids)
	if err != nil {
		return look, err
	}
	commits = slices.DeleteFunc(commits, func(c history.Commit) bool { return len(c.Files) == 0 || isRoutine(c.Subject) })
	look.Path, look.Line = recentLine(ctx, place.Worktree, commits)
	look.Tasks, look.Words = recentSubjects(commits)
	return look, nil
}

// ReadFiles reads files of the work tree into the index, for some seconds, so that the likely files of a task are those
// that later commands find. Without a memory it returns an error.
func ReadFiles(ctx context.Context, m *app.Memory) (degraded []string, err error) {
	o := m.Begin(ctx)
	defer o.End(&degraded, &err)
	s, err := o.OpenExisting(ctx)
	if err != nil {
		return nil, err
	}
	upkeep.ReadPiece(ctx, s)
	return nil, nil
}

// isRoutine reports whether a subject says only that branches were merged, that versions
// changed, or that work is not finished.
func isRoutine(subject string) bool {
	subject = strings.ToLower(subject)
	for _, start := range []string{"merge ", "bump", "build(deps", "chore(deps", "chore: bump", "update dependency ", "update dependencies", "release", "chore(release", "chore: release", "prepare release", "version ", "wip", "fixup!", "squash!", "revert \"merge "} {
		if strings.HasPrefix(subject, start) {
			return true
		}
	}
	return strings.Contains(subject, "request merge")
}

// recentLine finds a line that one of the commits made: the longest one in the source file with the most added lines.
func recentLine(ctx context.Context, top string, commits []history.Commit) (file string, line int) {
	for _, c := range commits {
		files := slices.Clone(c.Files)
		slices.SortStableFunc(files, func(a, b changeset.Change) int { return b.Added - a.Added })
		for _, f := range files {
			if f.Status == changeset.StatusDeleted || !f.Counted || f.Added == 0 || !isSource(f.Path) {
				continue
			}
			if line := longestLine(ctx, top, f.Path, c.ID); line > 0 {
				return f.Path, line
			}
		}
	}
	return "", 0
}

// isSource excludes files that a person would not ask about first, such as tests and documents.
func isSource(name string) bool {
	switch path.Ext(name) {
	case "", ".md", ".rst", ".txt", ".json", ".lock", ".sum", ".svg", ".yml", ".yaml", ".toml":
		return false
	}
	return !strings.Contains(strings.ToLower(name), "test")
}

// longestLine returns the number of the longest line of a file that a commit made, or 0 if there is none.
func longestLine(ctx context.Context, top, name, commit string) (line int) {
	text, err := blame.Read(top, name)
	if err != nil || blame.IsBinary(text) {
		return 0
	}
	file, err := blame.Lines(ctx, top, "", name, 1, 0)
	if err != nil {
		return 0
	}
	lines, longest := strings.Split(string(text), "\n"), 0
	for _, h := range file.Hunks {
		if h.Commit != commit {
			continue
		}
		for n := h.Line; n < h.Line+h.Count && n <= len(lines); n++ {
			if length := len(strings.TrimSpace(lines[n-1])); length > longest && length < 100 {
				line, longest = n, length
			}
		}
	}
	return line
}

// maxTasks bounds the suggested subjects. Several are needed because some have no sufficiently likely files.
const maxTasks = 5

// leastTelling counts the long words that a suggested subject needs.
const leastTelling = 2

// recentSubjects chooses tasks and search words from the subjects of commits. The tasks are the subjects with the most
// long words. The search words come from another commit than the first task.
func recentSubjects(commits []history.Commit) (tasks []string, words string) {
	telling := map[string][]string{}
	for _, c := range commits {
		if found := longWords(c.Subject); len(found) >= leastTelling && telling[c.Subject] == nil {
			telling[c.Subject] = found
			tasks = append(tasks, c.Subject)
		}
	}
	newest := slices.Clone(tasks)
	slices.SortStableFunc(tasks, func(a, b string) int { return len(telling[b]) - len(telling[a]) })
	tasks = tasks[:min(len(tasks), maxTasks)]
	for _, subject := range newest {
		if subject != tasks[0] {
			return tasks, strings.Join(inOrder(subject, telling[subject][:2]), " ")
		}
	}
	return tasks, ""
}

// inOrder sorts words as the subject has them, for a search that people would type.
func inOrder(subject string, words []string) []string {
	subject = strings.ToLower(subject)
	slices.SortFunc(words, func(a, b string) int { return strings.Index(subject, a) - strings.Index(subject, b) })
	return words
}

// longWords returns the words of a subject that have more than four characters and only letters, longest first.
func longWords(subject string) (words []string) {
	for _, word := range strings.Fields(subject) {
		if len(word) > 4 && strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }) < 0 {
			words = append(words, strings.ToLower(word))
		}
	}
	slices.SortStableFunc(words, func(a, b string) int { return len(b) - len(a) })
	return slices.Compact(words)
}
