// Command filefit fits the weights of the file model (index/files) to histories, and to issues:
//
//	go run ./testdata/filefit [-issues ISSUES.jsonl] LOG.jsonl=GITDIR … [OWNER/NAME=GITDIR …]
//
// Each LOG.jsonl is a history as 'agentflow eval cochange --log' reads it, and
// GITDIR the git directory that holds its commits, where the contents of files
// are read as they were before each of them. The subjects of its commits are short
// tasks. ISSUES.jsonl has an issue a line, {"repo": OWNER/NAME, "base": COMMIT,
// "text": …, "files": […]}: long tasks, asked of the commits up to the base.
//
// It prints the weights that fit all histories, and all issues, with contents and
// without, and how good they are: the figures of each history with weights that were
// fitted to the others, and those of the issues of every second repository with weights
// that were fitted to the other half. All depends on nothing but the histories and the issues.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"

	"agentflow/index/files"
	"agentflow/internal/eval"
	"agentflow/testdata/fitting"
)

func main() {
	issues := flag.String("issues", "", "fit to the issues in this file, too")
	flag.Parse()
	if err := run(context.Background(), *issues, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "filefit:", err)
		os.Exit(1)
	}
}

// corpus is what weights are fitted to.
type corpus struct{ fitting.Corpus }

func run(ctx context.Context, issues string, args []string) error {
	var logs, repositories []string
	for _, arg := range args {
		if name, _, _ := strings.Cut(arg, "="); strings.HasSuffix(name, ".jsonl") {
			logs = append(logs, arg)
		} else {
			repositories = append(repositories, arg)
		}
	}
	read, err := fitting.Read(logs)
	if err != nil {
		return err
	}
	c := corpus{read}
	for _, contents := range []bool{true, false} {
		if err := c.fit(ctx, contents); err != nil {
			return err
		}
	}
	if issues == "" {
		return nil
	}
	return c.fitIssues(ctx, issues, repositories)
}

// fit prints the figures and the weights.
func (c corpus) fit(ctx context.Context, contents bool) error {
	tasks, err := c.record(ctx, contents)
	if err != nil {
		return err
	}
	fmt.Printf("\ncontents %v: each history with weights fitted to the others\n", contents)
	var all []eval.CochangeFigures
	weights := map[string]files.Weights{}
	for _, h := range c.Histories {
		weights[h.Name] = fit(tasks, start(contents, false), func(t task) bool { return t.history != h.Name })
		figures, err := c.measure(ctx, h, contents, weights[h.Name])
		if err != nil {
			return err
		}
		show(h.Name, figures)
		all = append(all, figures)
	}
	show("mean", eval.MeanCochange(all))
	curve(tasks, weights)
	printWeights(fit(tasks, start(contents, false), func(task) bool { return true }))
	return nil
}

// start returns the weights that a fit begins with.
func start(contents, long bool) files.Weights {
	both := files.Default().Short
	if long {
		both = files.Default().Long
	}
	if contents {
		return both.With
	}
	return both.Without
}

func printWeights(w files.Weights) {
	fmt.Println("weights fitted to all:")
	for i, x := range w {
		fmt.Printf("  %-12s %.2f\n", files.Names()[i], x)
	}
}

func show(name string, f eval.CochangeFigures) {
	fmt.Printf("%-12s", name)
	for _, figure := range append(f.Named(3), f.Files.Named()...) {
		fmt.Printf("  %s %.3f", figure.Name, figure.Value)
	}
	fmt.Println()
}
