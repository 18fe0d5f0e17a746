// Command hitfit fits the two chances by which prompts are kept free of noise
// (index/rank): that memory knows what a task is about, and that a hit is of use.
//
//	go run ./testdata/hitfit LOG.jsonl=GITDIR …
//
// It asks three kinds of tasks: the commits of each history, where a hit is of use
// that names a file which the commit touched; subjects of the other histories, for
// which none is; both with the contents of files known and without; and the questions
// of testdata/search, where their answers are. It prints what is shown with rising
// bounds, each history and each fifth of the questions with weights that were fitted
// to all others, and then the weights fitted to all. All depends on nothing but the
// histories and the questions.
package main

import (
	"context"
	"fmt"
	"os"

	"agentflow/index"
	"agentflow/testdata/fitting"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "hitfit:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	read, err := fitting.Read(args)
	if err != nil {
		return err
	}
	r := recorder{Corpus: read}
	tasks, err := r.record(ctx)
	if err != nil {
		return err
	}
	known := knownExamples(tasks)
	heldOut(known, known)
	useful, all := usefulExamples(tasks)
	heldOut(useful, all)
	fmt.Println("gate, least chance, least share; own tasks: shown some, a right one, useful hits, tokens; foreign subjects: some, tokens; the same without contents; answered questions as own; questions without an answer as foreign")
	for _, r := range rules() {
		r.print(tasks)
	}
	printWeights("known", knownSignals, fit(known))
	printWeights("useful", usefulSignals, fit(useful))
	return nil
}

// knownExamples are the tasks of which a model says whether memory knows them.
func knownExamples(tasks []task) (list []weighed) {
	for i := range tasks {
		if t := &tasks[i]; !t.asks {
			list = append(list, weighed{&t.known, t.set, weightOf(t.kind)})
		}
	}
	return list
}

// usefulExamples are the hits of the tasks that pass the gate in use, and all hits.
func usefulExamples(tasks []task) (passed, all []weighed) {
	gate := index.DefaultRanking().Gate
	for i := range tasks {
		t := &tasks[i]
		for k := range t.hits {
			all = append(all, weighed{&t.hits[k].example, t.set, weightOf(t.kind)})
			if t.known.chance >= gate {
				passed = append(passed, all[len(all)-1])
			}
		}
	}
	return passed, all
}

func weightOf(kind string) float64 {
	if kind == answered || kind == none {
		return questionWeight
	}
	return 1
}

// rules are those that are compared: the gate's curve, and around the one in use.
func rules() (list []rule) {
	r := index.DefaultRanking()
	for _, gate := range []float64{0.2, 0.3, 0.35, 0.38, 0.4, 0.42, 0.45, 0.5, 0.55, 0.6} {
		list = append(list, rule{gate, r.LeastChance, r.LeastShare})
	}
	for _, least := range [][2]float64{{0, 0}, {0.06, 0.1}, {0.07, 0.125}, {0.07, 0.15}, {0.1, 0.15}, {0.1, 0.2}, {0.15, 0.3}, {0.2, 0.3}, {0.3, 0.3}} {
		list = append(list, rule{r.Gate, least[0], least[1]})
	}
	return list
}

func printWeights(of string, signals []string, w weights) {
	fmt.Println("weights of", of, "fitted to all:")
	for i, name := range signals {
		fmt.Printf("  %-11s %.2f\n", name, w[i])
	}
}
