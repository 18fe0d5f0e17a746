// Command filefit fits the weights of the file model (index/files) to histories:
//
//	go run ./testdata/filefit LOG.jsonl=GITDIR …
//
// Each LOG.jsonl is a history as 'agentflow eval cochange --log' reads it, and
// GITDIR the git directory that holds its commits, where the contents of files
// are read as they were before each of them. It prints the weights that fit all
// histories, with contents and without, and how good they are: the figures of
// each history with weights that were fitted to the others alone. All depends on
// nothing but the histories.
package main

import (
	"context"
	"fmt"
	"os"

	"agentflow/index/files"
	"agentflow/internal/eval"
	"agentflow/testdata/fitting"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "filefit:", err)
		os.Exit(1)
	}
}

// corpus is what weights are fitted to.
type corpus struct{ fitting.Corpus }

func run(ctx context.Context, args []string) error {
	read, err := fitting.Read(args)
	if err != nil {
		return err
	}
	c := corpus{read}
	for _, contents := range []bool{true, false} {
		if err := c.fit(ctx, contents); err != nil {
			return err
		}
	}
	return nil
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
		weights[h.Name] = fit(tasks, h.Name, contents)
		figures, err := c.measure(ctx, h, contents, weights[h.Name])
		if err != nil {
			return err
		}
		show(h.Name, figures)
		all = append(all, figures)
	}
	show("mean", eval.MeanCochange(all))
	curve(tasks, weights)
	fmt.Println("weights fitted to all:")
	for i, w := range fit(tasks, "", contents) {
		fmt.Printf("  %-12s %.2f\n", files.Names()[i], w)
	}
	return nil
}

func show(name string, f eval.CochangeFigures) {
	fmt.Printf("%-12s", name)
	for _, figure := range append(f.Named(3), f.Files.Named()...) {
		fmt.Printf("  %s %.3f", figure.Name, figure.Value)
	}
	fmt.Println()
}
