// Command hitfit fits the chance that a hit of a prompt is of use (index/rank):
//
//	go run ./testdata/hitfit LOG.jsonl=GITDIR …
//
// The hits that pass the gate are those of three kinds of tasks: the commits of
// each history, where a hit is of use that names a file which the commit touched;
// subjects of the other histories, for which none is; and the questions of
// testdata/search, where their answers are. It prints what is shown with rising
// least chances, each history and each fifth of the questions with weights that
// were fitted to all others, and then the weights fitted to all. All depends on
// nothing but the histories and the questions.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"agentflow/embed"
	"agentflow/eval"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "hitfit:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	r := recorder{objects: map[string]string{}}
	var err error
	if r.embedder, err = embed.New(embed.Options{Provider: "local"}); err != nil {
		return err
	}
	for _, arg := range args {
		log, dir, ok := strings.Cut(arg, "=")
		if !ok {
			return fmt.Errorf("%s is not LOG.jsonl=GITDIR", arg)
		}
		h, err := eval.ReadLog(log)
		if err != nil {
			return err
		}
		r.histories = append(r.histories, h)
		if r.objects[h.Name], err = filepath.Abs(dir); err != nil {
			return err
		}
	}
	if len(r.histories) < 2 {
		return fmt.Errorf("it takes two histories at least: LOG.jsonl=GITDIR …")
	}
	tasks, err := r.record(ctx)
	if err != nil {
		return err
	}
	heldOut(tasks)
	fmt.Println("chance and share of the best at least; of the tasks of each kind: shown some, shown a right one; of the hits: useful; tokens a task")
	for _, rule := range [][2]float64{{0, 0}, {0, .1}, {0, .15}, {.05, .15}, {.08, .1}, {.08, .11}, {.08, .12}, {.08, .13}, {.08, .15}, {.08, .2}, {.1, .2}, {.15, .3}, {.25, .3}, {.35, .3}} {
		fmt.Printf("%.2f %.2f", rule[0], rule[1])
		for _, kind := range kinds {
			fmt.Print("  ", kind, " ", shownOf(tasks, kind, rule[0], rule[1]))
		}
		fmt.Println()
	}
	fmt.Println("weights fitted to all:")
	for i, w := range fit(tasks) {
		fmt.Printf("  %-10s %.2f\n", signals[i], w)
	}
	return nil
}
