package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"agentflow/index/files"
	"agentflow/internal/roles"
)

// fitIssues prints the figures of issues, and the weights that fit them.
func (c corpus) fitIssues(ctx context.Context, file string, repositories []string) error {
	issues, err := readIssues(file)
	if err != nil {
		return err
	}
	half := map[string]int{} // of each repository
	var list []asked
	for i, arg := range repositories {
		name, dir, _ := strings.Cut(arg, "=")
		half[name] = i % 2
		more, err := recordIssues(ctx, c.Corpus, dir, issues[name])
		if err != nil {
			return err
		}
		list = append(list, more...)
	}
	for _, contents := range []bool{true, false} {
		var tasks []task
		for i := range list {
			if !contents {
				list[i].task.forget()
			}
			tasks = append(tasks, list[i].task)
		}
		var weights [2]files.Weights
		for n := range weights {
			weights[n] = fit(tasks, start(contents, true), func(t task) bool { return half[t.history] != n })
		}
		fmt.Printf("\n%d issues, contents %v: a right file among the first 1, 3, 5 and 10; all right files\n", len(list), contents)
		for _, role := range []roles.Role{"", roles.Source} {
			printIssues(list, role, func(t task) files.Weights { return weights[half[t.history]] })
		}
		printWeights(fit(tasks, start(contents, true), func(task) bool { return true }))
	}
	return nil
}

// forget sets the features of contents to 0.
func (t *task) forget() {
	for i, name := range files.Names() {
		if slices.Contains([]string{"holds", "defines", "opening", "symbols"}, name) {
			for n := range t.files {
				t.files[n].features[i] = 0
			}
		}
	}
}

// printIssues prints the shares of the issues with a right file, and with all of them, among the
// first files of a role; "" means any role.
func printIssues(list []asked, role roles.Role, weights func(task) files.Weights) {
	cuts := [4]int{1, 3, 5, 10}
	var some, all [4]float64
	for _, a := range list {
		order := slices.DeleteFunc(slices.Clone(a.task.files), func(c candidate) bool { return role != "" && roles.Of(c.path) != role })
		w := weights(a.task)
		slices.SortStableFunc(order, func(x, y candidate) int {
			return cmp.Or(cmp.Compare(score(w, y.features), score(w, x.features)), strings.Compare(x.path, y.path))
		})
		for i, k := range cuts {
			right := 0.0
			for _, c := range order[:min(k, len(order))] {
				if c.target {
					right++
				}
			}
			some[i] += min(1, right) / float64(len(list))
			if int(right) == len(a.Files) {
				all[i] += 1 / float64(len(list))
			}
		}
	}
	fmt.Printf("  %-8s %.3f  %.3f\n", cmp.Or(string(role), "any"), some, all)
}
