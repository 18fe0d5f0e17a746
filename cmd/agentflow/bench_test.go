package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/memory"
	"agentflow/memory/changeset"
	"agentflow/memory/markdown"
)

// words is a vocabulary with the skew of real text: a few words are common,
// most are rare.
var words = func() []string {
	var out []string
	for i := range 4000 {
		out = append(out, fmt.Sprintf("%s%s", []string{"alpha", "parse", "index", "retry", "clock", "cache", "token", "fetch"}[i%8], strings.Repeat(string(rune('a'+i%26)), 1+i/1000)+fmt.Sprint(i/26)))
	}
	return out
}()

func sentence(random *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		b.WriteString(words[int(float64(len(words))*random.Float64()*random.Float64())])
		b.WriteByte(' ')
	}
	return strings.TrimSpace(b.String())
}

// fill writes n entries into so many daily files of a lab's memory and
// returns their bytes.
func (l *lab) fill(entries, files int) (written int64) { return l.fillWithFacts(entries, files, 0) }

// fillWithFacts is fill with facts. every is the distance between entries with a fact; 0: none.
func (l *lab) fillWithFacts(entries, files, every int) (written int64) {
	random := rand.New(rand.NewPCG(1, 2))
	seed := rand.NewChaCha8([32]byte{1})
	day := time.Date(2021, 1, 1, 9, 0, 0, 0, time.UTC)
	for range files {
		var text strings.Builder
		fmt.Fprintf(&text, "# %s\n\n", day.Format(time.DateOnly))
		for i := range entries / files {
			id, err := memory.NewID(day, seed)
			if err != nil {
				l.T.Fatal(err)
			}
			e := memory.Entry{ID: id, Kind: memory.KindRun, Time: day.Add(time.Duration(i) * time.Minute), Agent: "claude",
				Task: sentence(random, 8), Summary: sentence(random, 40),
				Changes: changeset.List{Items: []changeset.Change{{Status: 'M', Path: "pkg/" + words[random.IntN(400)] + ".go", Counted: true, Added: i}}},
				Result:  &memory.Result{Outcome: memory.OutcomeOK, Success: true, Duration: time.Second}}
			e.Title = memory.Title(e.Task)
			if every > 0 && i%every == 0 {
				e.Facts = []memory.Fact{l.fact(day, seed, sentence(random, 12))}
			}
			text.Write(markdown.Format(e))
		}
		l.Write(filepath.Join(".agentflow/memory", day.Format(time.DateOnly)+".md"), text.String())
		written += int64(text.Len())
		day = day.AddDate(0, 0, 1)
	}
	return written
}

func (l *lab) fact(day time.Time, seed io.Reader, text string) memory.Fact {
	id, err := memory.NewID(day, seed)
	if err != nil {
		l.T.Fatal(err)
	}
	return memory.Fact{ID: id, Type: memory.Semantic, Importance: memory.PlainImportance, Text: text}
}

// wall returns how long one process takes.
func wall(b *testing.B, cmd *exec.Cmd) time.Duration {
	b.Helper()
	cmd.Stdout, cmd.Stderr = io.Discard, io.Discard
	start := time.Now()
	if err := cmd.Run(); err != nil {
		b.Fatalf("%s: %v", cmd, err)
	}
	return time.Since(start)
}

// sideBySide measures a and b in turn and reports the medians, the median
// difference and the median ratio.
func sideBySide(b *testing.B, ours, theirs func() time.Duration) {
	b.Helper()
	ours()
	theirs()
	var a, o, diff, ratio []float64
	for b.Loop() {
		x, y := ours().Seconds()*1000, theirs().Seconds()*1000
		a, o, diff, ratio = append(a, x), append(o, y), append(diff, x-y), append(ratio, x/y)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(a), "ours-ms")
	b.ReportMetric(median(o), "beside-ms")
	b.ReportMetric(median(diff), "more-ms")
	b.ReportMetric(median(ratio), "ratio")
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// BenchmarkRun measures the cost of wrapping: agentflow run against the bare
// command, with 1,000 entries of memory.
func BenchmarkRun(b *testing.B) {
	l := newLab(b, "")
	l.fill(1000, 200)
	l.Agentflow("status")
	ours := func() time.Duration {
		return wall(b, l.Command("run", "-q", "--agent", "command", "Look at the clock of the cache", "--", "true"))
	}
	theirs := func() time.Duration { return wall(b, exec.Command("true")) }
	sideBySide(b, ours, theirs)
}

// BenchmarkRunParts is BenchmarkRun with parts left out. The difference from the
// whole run is the cost of each part.
func BenchmarkRunParts(b *testing.B) {
	l := newLab(b, "")
	l.fill(1000, 200)
	l.Agentflow("status")
	for name, args := range map[string][]string{
		"version":   {"version"},
		"status":    {"status"},
		"recall":    {"recall", "Look at the clock of the cache"},
		"dry-run":   {"run", "-q", "--dry-run", "--agent", "command", "Look at the clock", "--", "true"},
		"no-recall": {"run", "-q", "--no-recall", "--agent", "command", "Look at the clock", "--", "true"},
		"no-record": {"run", "-q", "--no-record", "--agent", "command", "Look at the clock", "--", "true"},
		"neither":   {"run", "-q", "--no-recall", "--no-record", "--agent", "command", "Look at the clock", "--", "true"},
	} {
		b.Run(name, func(b *testing.B) {
			sideBySide(b, func() time.Duration { return wall(b, l.Command(args...)) },
				func() time.Duration { return wall(b, l.Command("version")) })
		})
	}
}

// BenchmarkSearch compares agentflow search with `git grep`: a whole process over 10,000
// entries in 2,000 files, freshness check included, against a grep of the same
// files.
func BenchmarkSearch(b *testing.B) {
	l := newLab(b, "")
	l.fill(10_000, 2000)
	l.Agentflow("status")
	for name, query := range map[string]string{
		"misspelt": "parsebb77 clock",
		"ordinary": strings.Join([]string{words[600], words[1000], words[1500], words[2003]}, " "), // 1 to 2 % of the entries each
		"common":   strings.Join(words[:4], " "),                                                   // a tenth of them each
	} {
		b.Run(name, func(b *testing.B) {
			var used []float64 // in user and system mode
			ours := func() time.Duration {
				cmd := l.Command("search", query)
				took := wall(b, cmd)
				used = append(used, (cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()).Seconds()*1000)
				return took
			}
			theirs := func() time.Duration {
				cmd := exec.Command("git", "grep", "--no-index", "-l", "-i", "-e", strings.Fields(query)[0], "--", ".agentflow/memory")
				cmd.Dir, cmd.Env = l.Repo, append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null")
				cmd.Stdout = io.Discard
				start := time.Now()
				_ = cmd.Run() // finding nothing is exit code 1
				return time.Since(start)
			}
			sideBySide(b, ours, theirs)
			b.ReportMetric(median(used), "ours-cpu-ms")
		})
	}
}
