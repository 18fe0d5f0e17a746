package factfit

import (
	"fmt"
	"io"

	"agentflow/index/factrank"
	"agentflow/internal/eval/factset"
)

// Sizes counts the facts of the measured memories.
var Sizes = []int{30, 120, 400}

// Row is the measurement of one way to choose facts from one memory.
type Row struct {
	Size      int
	Set, Name string
	Figures
}

// Compare measures, on the sets of each size, the weights fitted to all other sets, BM25,
// the newest facts and a random choice.
func Compare(sets []*factset.Set, without []*factrank.Weights) (rows []Row) {
	for _, size := range Sizes {
		for i, s := range sets {
			if len(s.Facts) < size {
				continue
			}
			m := Of(s, size)
			for _, c := range []struct {
				name   string
				choose Choose
			}{{"matcher", without[i].New(m.Facts).Select}, {"BM25", m.BM25()}, {"newest", Newest}, {"random", Random}} {
				rows = append(rows, Row{size, s.Name, c.name, m.Measure(c.choose)})
			}
		}
	}
	return rows
}

// Mean returns the mean over the sets, for one size and way to choose, of the shares of
// needed facts that were shown, by kind of task.
func Mean(rows []Row, size int, name string) map[factset.TaskKind]float64 {
	sum, n := map[factset.TaskKind]float64{}, 0.0
	for _, r := range rows {
		if r.Size == size && r.Name == name {
			n++
			for kind, s := range r.Figures {
				sum[kind] += s.Share()
			}
		}
	}
	for kind := range sum {
		sum[kind] /= n
	}
	return sum
}

// order sorts the columns.
var order = []factset.TaskKind{"", factset.Direct, factset.Paraphrase, factset.Implied}

// Print prints rows, and the means of each size.
func Print(w io.Writer, rows []Row) {
	fmt.Fprintln(w, "facts set          way       all direct paraphrase implied tokens")
	for _, r := range rows {
		fmt.Fprintf(w, "%5d %-12s %-8s", r.Size, r.Set, r.Name)
		for _, kind := range order {
			fmt.Fprintf(w, " %.3f", r.Figures[kind].Share())
		}
		fmt.Fprintf(w, " %5.0f\n", r.Figures[""].Tokens/r.Figures[""].Tasks)
	}
	for _, size := range Sizes {
		for _, name := range []string{"matcher", "BM25", "newest", "random"} {
			mean := Mean(rows, size, name)
			fmt.Fprintf(w, "%5d %-12s %-8s", size, "mean", name)
			for _, kind := range order {
				fmt.Fprintf(w, " %.3f", mean[kind])
			}
			fmt.Fprintln(w)
		}
	}
}

// PrintAdded prints, for each set, the facts that prompts add to those that the start of a
// session showed, with the weights fitted to all other sets.
func PrintAdded(w io.Writer, sets []*factset.Set, without []*factrank.Weights) {
	fmt.Fprintln(w, "facts set          shown at the start, with what prompts add, tokens added, foreign tasks with an added fact")
	for i, s := range sets {
		m := Of(s, len(s.Facts))
		a := m.Add(without[i].New(m.Facts))
		fmt.Fprintf(w, "%5d %-12s %.3f %.3f %4.0f %.3f\n", len(s.Facts), s.Name, a.Start, a.Needed, a.Tokens, a.Foreign)
	}
}
