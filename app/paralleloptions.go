package app

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"
)

// parallelOptions are the flags of run about several runs at once.
type parallelOptions struct {
	parallel atOnce // 0: one run
	maxTotal float64
}

// atOnce is how many runs go on at a time.
type atOnce int

// maxAtOnce is far more than agents get on with each other.
const maxAtOnce = 256

func (n *atOnce) String() string { return strconv.Itoa(int(*n)) }

// Type is for pflag, which shows it as the flag's value.
func (n *atOnce) Type() string { return "int" }

// Set is for pflag.
func (n *atOnce) Set(text string) error {
	value, err := strconv.Atoi(text)
	if err != nil || value < 1 || value > maxAtOnce {
		return fmt.Errorf("want a whole number from 1 to %d", maxAtOnce)
	}
	*n = atOnce(value)
	return nil
}

func (o *parallelOptions) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.Var(&o.parallel, "parallel", "run the tasks of --file, this `number` at a time, each in a work tree of its own")
	f.Float64Var(&o.maxTotal, "max-total-cost", 0, "begin no run of --parallel beyond so many US `dollars` in all")
}

// check refuses what several runs cannot share.
func (o *parallelOptions) check(all *runOptions) error {
	switch {
	case o.parallel == 0 && o.maxTotal != 0:
		return usagef("--max-total-cost is about the runs of --parallel; --max-cost is about one")
	case o.parallel == 0:
		return nil
	case !(o.maxTotal >= 0): // the negation also refuses NaN
		return usagef("--max-total-cost: want 0 or more, have %v", o.maxTotal)
	case all.worktree != "" && all.worktree != newBranch:
		return usagef("--worktree=%s is for one run: each run of --parallel has a branch of its own", all.worktree)
	case all.passthrough:
		return usagef("--passthrough is for one run: several have no common exit code")
	}
	all.worktree = newBranch
	return nil
}
