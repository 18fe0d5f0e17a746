package summary

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/executor/agent"
	"agentflow/executor/agent/checks"
)

// Limits of the checks of an entry.
const (
	maxChecksKept  = 500
	maxChecksShown = 8
	maxCheckName   = 60 // runes
)

// checksRun lists the tests and linters that an agent ran, each once, in the order of their
// last ends.
type checksRun []checks.Check

// add takes the checks of a command. Of each check the last end counts, even an unknown one.
func (l *checksRun) add(list []checks.Check) {
	for _, c := range list {
		*l = slices.DeleteFunc(*l, func(d checks.Check) bool { return d.Name == c.Name && d.Dir == c.Dir })
		if len(*l) == maxChecksKept {
			*l = (*l)[1:]
		}
		*l = append(*l, c)
	}
}

// Lines returns lines like "go test ./... passed" and "npm test in web failed". It omits a
// check in an unknown folder if another check of that name ended differently.
func (l checksRun) Lines(workTree, dir string) []string {
	var last checksRun
	for _, c := range l {
		if c.Dir != checks.UnknownDir {
			c.Dir = folderOf(c.Dir, workTree, dir)
		}
		last.add([]checks.Check{c})
	}
	known := slices.DeleteFunc(slices.Clone(last), func(c checks.Check) bool { return c.End == "" || last.disputes(c) })
	return known.shown()
}

// shown returns the lines of checks with known ends. If there are many it shows the failed and
// the latest checks, and counts the others.
func (l checksRun) shown() (lines []string) {
	left := map[checks.End]int{}
	ends := []checks.End{checks.Passed, checks.NotRun, checks.Failed}
	for _, end := range ends {
		for i := 0; i < len(l) && len(l) > maxChecksShown; {
			if l[i].End != end {
				i++
				continue
			}
			l = slices.Delete(l, i, i+1)
			left[end]++
		}
	}
	for _, c := range l {
		lines = append(lines, checkLine(c))
	}
	for _, end := range ends {
		if left[end] > 0 {
			lines = append(lines, fmt.Sprintf("%d more %s", left[end], end))
		}
	}
	return lines
}

// disputes reports whether another check that may be the same one ended differently.
func (l checksRun) disputes(c checks.Check) bool {
	return slices.ContainsFunc(l, func(d checks.Check) bool {
		return d.Name == c.Name && d.End != c.End && (c.Dir == checks.UnknownDir || d.Dir == checks.UnknownDir)
	})
}

func checkLine(c checks.Check) string {
	line := agent.Clip(c.Name, maxCheckName)
	if c.Dir != "" && c.Dir != checks.UnknownDir {
		line += " in " + agent.Clip(c.Dir, maxCheckName)
	}
	return line + " " + string(c.End)
}

// folderOf returns the folder of a check relative to the work tree, with '/'. For a folder
// outside of the work tree it returns only its name. dir is the folder in which the agent
// works.
func folderOf(folder, workTree, dir string) string {
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(cmp.Or(dir, workTree), folder)
	}
	rel, err := filepath.Rel(workTree, folder)
	switch {
	case err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)):
		return filepath.Base(folder)
	case rel == ".":
		return ""
	}
	return filepath.ToSlash(rel)
}
