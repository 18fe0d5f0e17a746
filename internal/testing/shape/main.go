// Shape prints the measures of this repository's shape, each with its limit:
// how much a maintainer has to hold in their head at once, and how plainly the
// project writes. Run it in the repository with
//
//	go run ./internal/testing/shape
//
// The test of this package fails when a measure is above its limit in
// limits.txt, and when it is more than 5 % below it, so that a limit follows
// every improvement until it reaches the final limit.
package main

import (
	"fmt"
	"io"
	"os"
	"text/tabwriter"
)

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "shape:", err)
		os.Exit(1)
	}
}

// run prints a line for each measure of the repository around the current folder.
func run(out io.Writer) error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	limits, err := readLimits()
	if err != nil {
		return err
	}
	measures, err := measure(root)
	if err != nil {
		return err
	}

	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "measure\tvalue\tlimit\tfinal\twhere")
	for _, m := range measures {
		limit := limits[m.name]
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", m.name, number(m.value), bound(limit.now), bound(limit.final), m.where)
	}
	return table.Flush()
}

// bound writes a limit, or a dash where there is none.
func bound(limit float64) string {
	if limit == 0 {
		return "-"
	}
	return number(limit)
}

// number writes a whole number without a point, and others with one decimal.
func number(value float64) string {
	if value == float64(int(value)) {
		return fmt.Sprintf("%.0f", value)
	}
	return fmt.Sprintf("%.1f", value)
}
