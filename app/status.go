package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"agentflow/api"
	"agentflow/internal/plural"

	"agentflow/executor"
	"agentflow/memory"
	"agentflow/writeback"

	"github.com/spf13/cobra"
)

// statusObject is what `status --json` prints.
type statusObject struct {
	Memory    string           `json:"memory"`
	State     string           `json:"state"`
	Worktree  string           `json:"worktree"`
	Runs      int              `json:"runs"`
	Commits   int              `json:"commits"`
	Notes     int              `json:"notes"`
	Facts     int              `json:"facts"`
	Files     int              `json:"files"`
	LastRun   *runObject       `json:"last_run"`
	Live      []liveRun        `json:"live_runs"`
	Trees     []api.Worktree   `json:"worktrees"` // of runs that are over
	Pending   int              `json:"pending"`   // records in the log that are not in Markdown yet
	Vanished  []writeback.Ref  `json:"vanished"`
	Lock      string           `json:"lock"`  // who holds it; empty when free
	Watch     *watchObject     `json:"watch"` // the running watcher; null when there is none
	Hooks     []api.Hook       `json:"hooks"` // of git; empty when none were ever installed
	Schedules []scheduleObject `json:"schedules"`
	Index     indexObject      `json:"index"`
	Brought   *broughtObject   `json:"from_repository"` // what of memory is not believed; null: all is
	Failures  []failure        `json:"failures"`        // the last ones
	Degraded  []string         `json:"degraded"`
	LogFolder string           `json:"log"`

	inGit    bool
	lastSize string // of the last run
	lastEnd  string // how it ended, in a word
}

type indexObject struct {
	Path     string `json:"path"`
	State    string `json:"state"`
	Files    int    `json:"files"`
	Included int    `json:"included"` // of them, other Markdown of the repository
	Entries  int    `json:"entries"`
	Chunks   int    `json:"chunks"`
	Bytes    int64  `json:"bytes"`
	Provider string `json:"provider"` // of vectors, as the settings have it
	Embedder string `json:"embedder"` // whose vectors these are: all that they depend on
	Vectors  int    `json:"vectors"`  // chunks that have one
	Pending  int    `json:"pending"`  // chunks that wait for one
}

type liveRun struct {
	ID      string    `json:"id"`
	Task    string    `json:"task"`
	Agent   string    `json:"agent"`
	Started time.Time `json:"started_at"`
}

func (a *operation) statusCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show what memory holds and whether all is well",
		Long: `Status tells what memory holds, what is running, what is still to be written,
what vanished without forget, and the last things that did not work.`,
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := a.site(cmd.Context())
			if err != nil {
				return err
			}
			status := s.status(cmd.Context())
			if asJSON {
				return a.json(status)
			}
			a.printStatus(status)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object")
	return cmd
}

// status gathers everything; what cannot be read is said in Degraded.
func (s *site) status(ctx context.Context) statusObject {
	o := statusObject{Memory: s.Memory(), State: s.State(), Worktree: s.Worktree, Live: []liveRun{},
		Vanished: []writeback.Ref{}, Failures: []failure{}, Degraded: []string{}, LogFolder: filepath.Join(s.State(), "log"), inGit: s.CommonDir != ""}
	degraded := func(what string, err error) {
		if err != nil {
			o.Degraded = append(o.Degraded, what+": "+err.Error())
		}
	}
	s.countEntries(&o)
	vanished, err := s.store.Vanished(ctx)
	degraded("looking for vanished entries", err)
	o.Vanished = append(o.Vanished, vanished...)
	pending, err := s.store.Pending(ctx)
	degraded("pending", err)
	o.Pending = len(pending)
	o.Lock = s.store.Holder()
	o.Watch, err = s.watching()
	degraded("looking for a watcher", err)
	o.Schedules, err = s.schedules(time.Now())
	degraded("looking at schedules", err)
	known := err == nil
	live, err := executor.Live(s.Runs())
	degraded("looking for live runs", err)
	for _, r := range live {
		o.Live = append(o.Live, liveRun{r.ID, r.Task, r.Agent, r.Started})
	}
	o.Trees, err = s.treesLeft(ctx, live)
	degraded("looking for work trees of runs", err)
	hooks, err := s.hooks(ctx)
	degraded("looking at hooks", err)
	o.Hooks = hookObjects(hooks)
	if trouble := missedNote(s.Place); trouble != "" {
		o.Degraded = append(o.Degraded, trouble)
	}
	o.Brought = s.brought(ctx).object()
	failures, err := s.failures.last(keepFresh)
	degraded("failures", err)
	o.Failures = append(o.Failures, slices.DeleteFunc(failures, func(f failure) bool { return known && settledSchedule(f, o.Schedules) })...)
	s.indexStatus(ctx, &o)
	return o
}

func (s *site) countEntries(o *statusObject) {
	files := map[string]bool{}
	for b, err := range s.blocks() {
		if err != nil {
			o.Degraded = append(o.Degraded, err.Error())
			continue
		}
		files[b.File] = true
		if b.File != feedback {
			o.Facts += len(b.Facts)
		}
		if b.Entry == nil {
			continue
		}
		switch b.Entry.Kind {
		case memory.KindRun:
			o.Runs++
			if o.LastRun == nil {
				last := api.NewRun(*b.Entry, b.Path)
				o.LastRun, o.lastSize, o.lastEnd = &last, sizeOf(b.Entry), outcomeOf(b.Entry)
			}
		case memory.KindCommit:
			o.Commits++
		case memory.KindNote:
			o.Notes++
		}
	}
	o.Files = len(files)
}

func (s *site) indexStatus(ctx context.Context, o *statusObject) {
	s.patient = true // whatever is configured: nobody is asked
	o.Index = indexObject{Path: s.Index(), State: "absent", Provider: s.settings.Embed.Provider}
	if _, err := os.Stat(s.Index()); errors.Is(err, fs.ErrNotExist) && o.Files == 0 {
		return
	}
	db, degraded := s.indexed(ctx)
	o.Degraded = append(o.Degraded, degraded...)
	if db == nil {
		o.Index.State = "unusable"
		return
	}
	defer db.Close()
	stats, err := db.Stats(ctx)
	if err != nil {
		o.Degraded = append(o.Degraded, "reading the index: "+err.Error())
	}
	o.Index.State, o.Index.Files, o.Index.Included = stats.State.String(), stats.Files, stats.Included
	o.Index.Entries, o.Index.Chunks, o.Index.Bytes = stats.Entries, stats.Chunks, stats.Bytes
	o.Index.Embedder, o.Index.Vectors, o.Index.Pending = stats.Embedder, stats.Vectors, stats.Pending
}

func (a *operation) printStatus(o statusObject) {
	row := func(label, format string, args ...any) {
		a.printf("%s %s\n", a.bold(fmt.Sprintf("%-9s", label)), memory.Clean(fmt.Sprintf(format, args...)))
	}
	row("memory", "%s: %s, %s, %s, %s in %s", o.Memory, plural.Count(o.Runs, "run"), plural.Count(o.Commits, "commit"),
		plural.Count(o.Notes, "note"), plural.Count(o.Facts, "fact"), plural.Count(o.Files, "file"))
	if r := o.LastRun; r != nil {
		row("last run", "%s  %s  %s  %s%s", memory.ShortID(r.ID), r.StartedAt.Format("2006-01-02 15:04"), o.lastEnd, memory.Title(r.Task), o.lastSize)
	}
	for _, r := range o.Live {
		row("running", "%s  %s since %s  %s", memory.ShortID(r.ID), r.Agent, r.Started.Format("2006-01-02 15:04:05"), memory.Title(r.Task))
	}
	for _, t := range o.Trees {
		row("worktree", "%s on branch %s; when it is merged: %s", t.Path, t.Branch, t.Remove)
	}
	row("index", "%s: %s (%d included), %s, %s, %s", o.Index.State, plural.Count(o.Index.Files, "file"), o.Index.Included, plural.Count(o.Index.Entries, "entry"), plural.Count(o.Index.Chunks, "chunk"), size(o.Index.Bytes))
	row("vectors", "%s", o.Index.vectors())
	if w := o.Watch; w != nil {
		row(w.Verb, "process %d on %s since %s", w.PID, w.Host, w.Since.Local().Format("2006-01-02 15:04:05"))
	} else {
		row("watch", "none; searching brings the index up to date itself")
	}
	printScheduleRows(o.Schedules, row)
	if o.inGit {
		line, _ := hooksInWords(o.Hooks)
		row("hooks", "%s", line)
	}
	if o.Pending > 0 {
		row("pending", "%s in the log not yet in Markdown; the next command that writes finishes them", plural.Count(o.Pending, "record"))
	}
	if o.Lock != "" {
		row("lock", "held by %s", o.Lock)
	}
	for _, ref := range o.Vanished {
		row("vanished", "%s  %s  (%s); 'agentflow memory restore %s' brings it back", memory.ShortID(ref.ID), ref.Title, ref.File, memory.ShortID(ref.ID))
	}
	if b := o.Brought; b != nil {
		row("brought", "%s; %s", b.Why, b.Hint)
	}
	for _, f := range o.Failures {
		row("failed", "%s  %s: %s", f.Time.Local().Format("2006-01-02 15:04"), f.Verb, cleanLine(f.What))
	}
	for _, line := range o.Degraded {
		row("degraded", "%s", cleanLine(line))
	}
}

// vectors says how far searching by meaning is.
func (o indexObject) vectors() string {
	if o.Provider == "none" {
		return "none: searching goes by keywords"
	}
	text := fmt.Sprintf("%s: %d of %s", o.Provider, o.Vectors, plural.Count(o.Chunks, "chunk"))
	if o.Pending > 0 {
		text += fmt.Sprintf(", %d waiting; 'agentflow index' completes them", o.Pending)
	}
	return text
}

// size is a byte count for people.
func size(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB"}
	value, unit := float64(n), 0
	for value >= 1024 && unit < len(units)-1 {
		value, unit = value/1024, unit+1
	}
	if unit == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", value, units[unit])
}
