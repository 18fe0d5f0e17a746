// Package extract asks a model for lasting facts in the transcripts of runs and sessions, and stores those that pass
// the checks of the pure package extract.
//
// AfterRun is called after a run or a segment of a session, if extract.enabled is set. Pending does the
// same later in the daemon, at most three times for a run that fails, and Extract when a user asks. AskAgent sends
// any question about memory to the agent CLI of [extract], with its limits of time and cost.
//
// A failure never fails the run. An answer is checked against the current memory, under the store's lock: the facts
// of a run that was forgotten in the meantime, forgotten texts, and changes of facts that were edited since, are
// dropped. Texts of people are redacted before a model gets them.
//
// Not guaranteed: that a fact is true, or that every fact is found.
package extract

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/app/indexes"
	"agentflow/app/settle"
	"agentflow/executor"
	"agentflow/executor/agent/command"
	"agentflow/internal/ask"
	"agentflow/internal/extract"
	"agentflow/internal/plural"
	"agentflow/internal/safefile"
	"agentflow/internal/textwidth"
	"agentflow/memory"
	"agentflow/writeback"
)

// extraction is the result of asking about one run.
type extraction struct {
	extract.Learnt
	cost float64 // cost in US dollars
}

// facts returns the new facts and the new versions of changed facts in the repository's memory.
func (x extraction) facts() []memory.Fact {
	facts := slices.Clone(x.New)
	for _, u := range x.Updates {
		facts = append(facts, u.New)
	}
	return facts
}

// AfterRun extracts lasting facts from the transcript of a run that just ended, if the settings
// enable that. It adds the facts and their cost to rec. trouble holds errors, which do not fail the
// run.
func AfterRun(ctx context.Context, s *app.Repo, rec *executor.Record) (trouble []string) {
	if !s.Settings.Extract.Enabled || rec.RecordError != nil || rec.MemoryPath == "" || rec.Outcome == memory.OutcomeNotStarted {
		return nil
	}
	id := rec.Entry.ID
	if s.Settings.Extract.When == "daemon" || ctx.Err() != nil {
		return app.AppendError(nil, settle.DeferExtraction(s, id, 0))
	}
	x, err := extractFacts(ctx, s, id)
	rec.Entry.Facts = append(slices.Clone(rec.Entry.Facts), x.facts()...)
	if r := rec.Entry.Result; r != nil && x.cost > 0 {
		total := *r
		total.CostUSD = memory.Dollars(total.CostUSD + x.cost)
		rec.Entry.Result = &total
	}
	tellExtraction(s, id, x)
	switch {
	case err != nil && ctx.Err() != nil:
		s.Say("lasting facts are left to the daemon's next pass")
		err = settle.DeferExtraction(s, id, 0)
	case err != nil:
		err = extractionFailed(s, id, 0, err)
	}
	return app.AppendError(nil, err)
}

// extractFacts asks the agent CLI for lasting facts in the transcript of a run, and saves them. The cost
// is valid with an error too.
func extractFacts(ctx context.Context, s *app.Repo, id string) (x extraction, err error) {
	a, err := askAbout(ctx, s, id, s.Settings.Extract.MinMessages)
	x.cost = a.CostUSD
	if err == nil && a.Text != "" {
		x.Learnt, err = saveExtracted(ctx, s, a.run, a.shown, a.Text)
	}
	return x, err
}

// aboutRun is a model's answer about a run, and the facts that the question showed. Text is empty
// if the model was not asked.
type aboutRun struct {
	ask.Answer
	run   extract.Run
	shown []memory.Fact
}

// askAbout asks about a run. It does not ask if the run has fewer than leastLines lines or too few
// words.
func askAbout(ctx context.Context, s *app.Repo, id string, leastLines int) (a aboutRun, err error) {
	run, err := readTranscript(s, id)
	if err != nil || run.Silent(leastLines) {
		return a, err
	}
	files, err := s.Store.Snapshot(ctx)
	if err != nil {
		return a, err
	}
	entry := extract.EntryOf(files, id)
	if entry == nil {
		return a, nil // the run was forgotten meanwhile
	}
	memoryFacts := slices.DeleteFunc(extract.Facts(files), func(f memory.Fact) bool {
		return !f.Counts([]string{memory.BranchNamespace + entry.Branch, memory.TeamNamespace})
	})
	shown := extract.Similar(run, memoryFacts, time.Now())
	if entry.Kind == memory.KindSession { // the session was shown some of these facts, also before these turns
		run.Prompt = shownTo(s, id, files)
		for _, f := range shown {
			run.Prompt += f.Text + "\n"
		}
	}
	redacted := slices.Clone(shown) // facts by people may hold secrets
	for i := range redacted {
		redacted[i] = redacted[i].Redacted(s.Redact.Text)
	}
	s.Say("looking for lasting facts in what was said")
	a = aboutRun{run: run, shown: shown}
	a.Answer, err = AskAgent(ctx, s, extract.Question(run, redacted), s.Settings.Extract.MaxCost, extract.MaxTokens)
	return a, err
}

// readTranscript returns the transcript of a run, or of turns of a session. The task of a run counts
// as the user's words.
func readTranscript(s *app.Repo, id string) (extract.Run, error) {
	t, err := executor.ReadTranscript(s.Runs(), id)
	if err != nil {
		return extract.Run{}, err
	}
	run := extract.Run{ID: id, Task: t.Task, Prompt: strings.TrimSuffix(t.Prompt, t.Task), Wishes: s.Redact.Text(s.Settings.Extract.Instructions)}
	if t.Prompt != "" {
		run.Lines = append(run.Lines, extract.Line{User: true, Text: t.Task})
	}
	for _, l := range t.Lines {
		run.Lines = append(run.Lines, extract.Line(l))
	}
	return run, nil
}

// shownTo returns the current text of the memory that turns of a session were shown.
func shownTo(s *app.Repo, id string, files map[string][]byte) string {
	stored, err := executor.ReadRun(s.Runs(), id)
	if err != nil {
		return "" // the folder was removed meanwhile; facts in memory are not learnt again even so
	}
	var ids []string
	for _, item := range slices.Concat(stored.Facts, stored.Hits) {
		ids = append(ids, item.ID)
	}
	return extract.Texts(files, ids)
}

// lockTurns limits saveExtracted's waits for the lock of memory, half a second each,
// because the answer has been paid for.
const lockTurns = 20

// saveExtracted checks an answer against the current memory, and writes the facts that pass.
func saveExtracted(ctx context.Context, s *app.Repo, run extract.Run, shown []memory.Fact, answer string) (learnt extract.Learnt, err error) {
	plan := func(files map[string][]byte) (c writeback.Change, err error) {
		if learnt, err = check(ctx, s, files, run, shown, answer); err != nil {
			return c, err
		}
		title := fmt.Sprintf("%s of run %s", plural.Count(len(learnt.New)+len(learnt.Updates), "fact"), memory.ShortID(run.ID))
		return writeback.Change{Command: "extract", Title: title, Edits: extract.Edits(files, run.ID, learnt)}, nil
	}
	for range lockTurns {
		if err = s.Store.Revise(ctx, plan); !errors.Is(err, writeback.ErrLocked) {
			break
		}
	}
	if err != nil {
		return extract.Learnt{}, err
	}
	learnt.Global, err = learnGlobally(ctx, s, learnt.Global)
	return learnt, err
}

// learnGlobally stores facts in the user's own memory. It returns those that were neither there nor
// forgotten.
func learnGlobally(ctx context.Context, s *app.Repo, facts []memory.Fact) (learnt []memory.Fact, err error) {
	if len(facts) == 0 {
		return nil, nil
	}
	global, err := s.OpenGlobal(ctx, true)
	if err != nil {
		return nil, err
	}
	forgotten, err := forgottenTexts(ctx, global)
	if err != nil {
		return nil, err
	}
	for _, f := range facts {
		if forgotten(f.ID, f.Text) {
			continue
		}
		done, err := global.Store.Remember(ctx, f, f.Created, writeback.Meta{})
		if err != nil {
			return learnt, fmt.Errorf("remembering in your own memory: %w", err)
		}
		if done.Existing == nil {
			learnt = append(learnt, f)
		}
	}
	indexes.Reindex(ctx, global, "extract")
	return learnt, nil
}

// check validates an answer against memory in files. It returns no facts if the run was forgotten
// meanwhile.
func check(ctx context.Context, s *app.Repo, files map[string][]byte, run extract.Run, shown []memory.Fact, answer string) (extract.Learnt, error) {
	entry := extract.EntryOf(files, run.ID)
	if entry == nil {
		return extract.Learnt{}, nil
	}
	rules, err := extractRules(ctx, s, files, shown, entry)
	if err != nil {
		return extract.Learnt{}, err
	}
	return extract.Check(answer, run, rules)
}

// extractRules returns the rules that facts have to pass, from the current memory. A fact that was
// shown and has been edited since is marked as struck, so it is not changed.
func extractRules(ctx context.Context, s *app.Repo, files map[string][]byte, shown []memory.Fact, entry *memory.Entry) (extract.Rules, error) {
	rules := extract.Rules{All: extract.Facts(files), Redact: s.Redact.Text, Same: memory.Same, Now: time.Now(), Commit: entry.Base,
		Branch: entry.Branch, Global: s.Settings.Tools.Global}
	if n := len(entry.Commits); n > 0 {
		rules.Commit = entry.Commits[n-1].ID
	}
	for _, f := range shown {
		f.Struck = !slices.ContainsFunc(rules.All, func(g memory.Fact) bool { return reflect.DeepEqual(f, g) })
		rules.Shown = append(rules.Shown, f)
	}
	var err error
	rules.Forgotten, err = forgottenTexts(ctx, s)
	return rules, err
}

// forgottenTexts returns a function that reports whether a text was forgotten, as a fact with this
// id or any other.
func forgottenTexts(ctx context.Context, s *app.Repo) (func(id, text string) bool, error) {
	barred, err := s.Store.Barred(ctx)
	if err != nil {
		return nil, err
	}
	forgotten, err := s.Store.Forgotten(ctx)
	if err != nil {
		return nil, err
	}
	gone := map[string]bool{}
	for _, f := range forgotten {
		gone[memory.Same(f.Text)] = true
	}
	return func(id, text string) bool {
		return barred(id) || barred(memory.TextID(text)) || gone[memory.Same(text)]
	}, nil
}

func tellExtraction(s *app.Repo, id string, x extraction) {
	for _, f := range x.Global {
		s.Say("remembered in your own memory: %s", textwidth.Cut(app.CleanLine(f.Text), 120))
	}
	if x.cost == 0 && len(x.New)+len(x.Global)+len(x.Updates)+len(x.Refused) == 0 {
		return
	}
	line := fmt.Sprintf("learnt %s of run %s", plural.Count(len(x.New)+len(x.Global), "fact"), memory.ShortID(id))
	if n := len(x.Updates); n > 0 {
		line += fmt.Sprintf(", corrected %d", n)
	}
	if n := len(x.Refused); n > 0 {
		line += fmt.Sprintf(", refused %d (%s)", n, strings.Join(reasons(s, x.Refused), "; "))
	}
	if x.cost > 0 {
		line += fmt.Sprintf(", for $%.4f", x.cost)
	}
	s.Say("%s", line)
}

// reasons returns the first few distinct reasons why facts were refused.
func reasons(s *app.Repo, list []extract.Refusal) []string {
	const most = 3
	var out []string
	for _, r := range list {
		why := textwidth.Cut(app.CleanLine(s.Redact.Text(r.Why)), 80)
		if !slices.Contains(out, why) && len(out) < most {
			out = append(out, why)
		}
	}
	return out
}

// AskAgent sends a question about memory to the agent CLI that [extract] names, with its time-out
// and for at most maxCost US dollars (0: no limit). The cost in the answer is valid with an error
// too.
func AskAgent(ctx context.Context, s *app.Repo, q ask.Question, maxCost float64, maxTokens int) (ask.Answer, error) {
	e := s.Settings.Extract
	cli := ask.CLI{Argv: []string{"claude"}, Environ: executor.Environ(s.Environ), Model: e.Model, MaxCostUSD: maxCost, MaxTokens: maxTokens}
	if cli.Model == "" {
		cli.Model = ask.CheapModel
	}
	if named, ok := s.Settings.Agents[e.Agent]; ok {
		cli.Argv, cli.Plain = named.Argv, command.Protocol(named.Protocol) != command.Claude
	} else if e.Agent != "claude" {
		return ask.Answer{}, fmt.Errorf("there is no agent %q, which agent in [extract] names", e.Agent)
	}
	limit := fmt.Errorf("no answer within %s; see timeout in [extract]: %w", e.Timeout, context.DeadlineExceeded)
	ctx, cancel := context.WithTimeoutCause(ctx, e.Timeout, limit)
	defer cancel()
	answer, err := cli.Ask(ctx, q)
	if err != nil {
		return answer, fmt.Errorf("asking %s: %w", cli.Argv[0], err)
	}
	return answer, nil
}

const maxExtractTries = 3

// extractionFailed marks a run for another try, unless it has had maxExtractTries, and returns the
// error to report. tries counts the tries before this one.
func extractionFailed(s *app.Repo, run string, tries int, err error) error {
	err = fmt.Errorf("learning of run %s: %w", memory.ShortID(run), err)
	if tries+1 == maxExtractTries {
		return errors.Join(fmt.Errorf("%w; given up after %d tries", err, maxExtractTries), os.Remove(settle.DeferredPath(s, run)))
	}
	return errors.Join(err, settle.DeferExtraction(s, run, tries+1))
}

// Pending extracts facts from the marked runs, oldest first. It returns the joined errors of
// all runs. The next pass tries each failed run again.
func Pending(ctx context.Context, s *app.Repo) error {
	if !s.Settings.Extract.Enabled {
		return nil
	}
	runs, err := os.ReadDir(s.Runs())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("looking for runs to learn of: %w", err)
	}
	var failed []error
	for _, run := range runs {
		if ctx.Err() != nil {
			return errors.Join(append(failed, context.Cause(ctx))...)
		}
		if err := extractDeferred(ctx, s, run.Name()); err != nil {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

func extractDeferred(ctx context.Context, s *app.Repo, run string) error {
	var left settle.DeferredExtractionMark
	data, err := safefile.Read(settle.DeferredPath(s, run), safefile.NoLink, 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(data, &left)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("learning of run %s: %w", memory.ShortID(run), err), os.Remove(settle.DeferredPath(s, run)))
	}
	x, err := extractFacts(ctx, s, run)
	tellExtraction(s, run, x)
	for _, f := range x.facts() {
		s.Say("remembered %s: %s", memory.ShortID(f.ID), textwidth.Cut(strings.ReplaceAll(f.Text, "\n", " "), 120))
	}
	switch {
	case err == nil:
		return os.Remove(settle.DeferredPath(s, run))
	case ctx.Err() == nil:
		return extractionFailed(s, run, left.Tries, err)
	}
	return err // an interruption does not count as a try
}

// Every spaces the daemon's looks for marked runs.
const Every = time.Minute
