package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/gitwatch/edits"
	"agentflow/memory/changeset"
)

// rejudge is a program for scripts: it changes the certainties of the newest run's kept
// changes, PATH=CERTAINTY or PATH=CERTAINTY+MIXED. Paths that are not named
// become possible.
func rejudge() {
	if err := rejudgeNewest(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "rejudge:", err)
		os.Exit(1)
	}
}

func rejudgeNewest(args []string) error {
	runs, err := filepath.Glob(".git/agentflow/runs/*/edits.zip") // sorted, as their ids are by time
	if err != nil || len(runs) == 0 {
		return fmt.Errorf("no run: %v", err)
	}
	dir := filepath.Dir(runs[len(runs)-1])
	uncommitted, err1 := edits.Load(dir)
	committed, err2 := edits.LoadCommitted(dir)
	archive, err3 := edits.OpenArchive(dir)
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	defer archive.Close()
	w, err := edits.Create(dir)
	if err != nil {
		return err
	}
	kept := map[string]bool{}
	for _, list := range [][]edits.Change{uncommitted, committed} {
		for i := range list {
			judge(&list[i], args)
			for _, f := range []edits.File{list[i].Before, list[i].After} {
				if f.Kept == "" || kept[f.Kept] {
					continue
				}
				kept[f.Kept] = true
				data, err := archive.Contents(f)
				if err = errors.Join(err, w.Keep(f.Kept, data)); err != nil {
					return err
				}
			}
		}
	}
	return w.Finish(context.Background(), uncommitted, committed, 0)
}

func judge(c *edits.Change, args []string) {
	c.Certainty, c.Mixed = changeset.Possible, ""
	if i := slices.IndexFunc(args, func(arg string) bool { return strings.HasPrefix(arg, c.Path+"=") }); i >= 0 {
		certainty, mixed, _ := strings.Cut(args[i][len(c.Path)+1:], "+")
		c.Certainty, c.Mixed = changeset.Certainty(certainty), edits.Mixed(mixed)
	}
}
