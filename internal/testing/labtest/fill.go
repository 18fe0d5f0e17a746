package labtest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"agentflow/memory"
	"agentflow/memory/changeset"
	"agentflow/memory/markdown"
)

// Fill writes entries of the last hundred days, each with a fact, into the
// memory of Repo.
func (l *Lab) Fill(entries int) {
	l.T.Helper()
	random, seed := rand.New(rand.NewPCG(1, 2)), rand.NewChaCha8([32]byte{1})
	words := func(n int) string {
		var list []string
		for range n {
			list = append(list, fmt.Sprintf("%s%d", []string{"alpha", "parse", "index", "retry", "clock", "cache", "token", "fetch"}[random.IntN(8)], int(400*random.Float64()*random.Float64())))
		}
		return strings.Join(list, " ")
	}
	const files = 100
	day := time.Now().AddDate(0, 0, -files)
	for range files {
		text := fmt.Appendf(nil, "# %s\n\n", day.Format(time.DateOnly))
		for i := range entries / files {
			at := day.Add(time.Duration(i) * time.Second)
			var ids [2]string
			for n := range ids {
				ids[n], _ = memory.NewID(at, seed)
			}
			e := memory.Entry{ID: ids[0], Kind: memory.KindRun, Time: at, Agent: "claude", Task: words(8), Summary: words(20),
				Changes: changeset.List{Items: []changeset.Change{{Status: 'M', Path: "pkg/" + words(1) + ".go", Counted: true, Added: i}}},
				Facts:   []memory.Fact{{ID: ids[1], Type: memory.Semantic, Importance: 0.5, Key: words(1), Tags: []string{words(1)}, Text: words(12)}},
				Result:  &memory.Result{Outcome: memory.OutcomeOK, Success: true, Duration: time.Second, CostUSD: 0.1}}
			e.Title = memory.Title(e.Task)
			text = append(text, markdown.Format(e)...)
		}
		l.Write(".agentflow/memory/"+memory.DayFile(day), string(text))
		day = day.AddDate(0, 0, 1)
	}
}
