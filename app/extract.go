package app

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"agentflow/internal/plural"

	"agentflow/consolidate"
	"agentflow/executor"
	"agentflow/extract"
	"agentflow/memory"
	"agentflow/writeback"
)

// learning is what asking about one run came to.
type learning struct {
	extract.Learnt
	cost float64 // US dollars
}

// facts are those that memory did not hold before.
func (l learning) facts() []memory.Fact {
	facts := slices.Clone(l.New)
	for _, u := range l.Updates {
		facts = append(facts, u.New)
	}
	return facts
}

// learnAfter looks for lasting facts in what the agent of a run that just
// ended said, where the user chose that, and adds them and what they cost to
// rec. trouble says what failed, which is no failure of the run.
func (s *site) learnAfter(ctx context.Context, rec *executor.Record) (trouble []string) {
	if !s.settings.Extract.Enabled || rec.RecordError != nil || rec.MemoryPath == "" || rec.Outcome == memory.OutcomeNotStarted {
		return nil
	}
	id := rec.Entry.ID
	if s.settings.Extract.When == "daemon" || ctx.Err() != nil {
		return appendError(nil, s.leaveLearning(id, 0))
	}
	l, err := s.learn(ctx, id)
	rec.Entry.Facts = append(slices.Clone(rec.Entry.Facts), l.facts()...)
	if r := rec.Entry.Result; r != nil && l.cost > 0 {
		dearer := *r
		dearer.CostUSD = memory.Dollars(dearer.CostUSD + l.cost)
		rec.Entry.Result = &dearer
	}
	s.tellLearnt(id, l)
	switch {
	case err != nil && ctx.Err() != nil:
		s.say("lasting facts are left to the daemon's next pass")
		err = s.leaveLearning(id, 0)
	case err != nil:
		err = s.failedLearning(id, 0, err)
	}
	return appendError(nil, err)
}

// learn asks what of a run's words is worth keeping, and keeps it. What was
// asked costs, also with an error.
func (s *site) learn(ctx context.Context, id string) (learning, error) {
	heard, err := executor.ReadTranscript(s.Runs(), id)
	if err != nil {
		return learning{}, err
	}
	run := extract.Run{ID: id, Task: heard.Task, Prompt: heard.Prompt, Said: heard.Said}
	if run.Silent() {
		return learning{}, nil
	}
	files, err := s.store.Snapshot(ctx)
	if err != nil {
		return learning{}, err
	}
	entry := extract.EntryOf(files, id)
	if entry == nil {
		return learning{}, nil // forgotten meanwhile, and what it taught with it
	}
	known := slices.DeleteFunc(extract.Facts(files), func(f memory.Fact) bool {
		return !f.Counts([]string{memory.BranchNamespace + entry.Branch})
	})
	shown := extract.Similar(run, known, time.Now())
	s.say("looking for lasting facts in what the agent said")
	answer, err := s.askAgent(ctx, extract.Question(run, s.redactedFacts(shown)), s.settings.Extract.MaxCost, extract.MaxTokens)
	l := learning{cost: answer.CostUSD}
	if err == nil {
		l.Learnt, err = s.keepLearnt(ctx, run, shown, answer.Text)
	}
	return l, err
}

// redactedFacts are facts as they may be shown to somebody: people write
// secrets too.
func (s *site) redactedFacts(facts []memory.Fact) []memory.Fact {
	out := slices.Clone(facts)
	for i := range out {
		out[i] = out[i].Redacted(s.redact.Text)
	}
	return out
}

// keepLearnt checks an answer against memory as it is now, and writes what
// may be kept.
func (s *site) keepLearnt(ctx context.Context, run extract.Run, shown []memory.Fact, answer string) (learnt extract.Learnt, err error) {
	for tries := 0; tries < lockTurns; tries++ { // the answer is paid for
		if learnt, err = s.tryLearnt(ctx, run, shown, answer); !errors.Is(err, writeback.ErrLocked) {
			break
		}
	}
	return learnt, err
}

// lockTurns is how often the lock of memory is waited for, half a second each.
const lockTurns = 20

func (s *site) tryLearnt(ctx context.Context, run extract.Run, shown []memory.Fact, answer string) (learnt extract.Learnt, err error) {
	err = s.store.Revise(ctx, func(files map[string][]byte) (c writeback.Change, err error) {
		learnt = extract.Learnt{}
		entry := extract.EntryOf(files, run.ID)
		if entry == nil {
			return c, nil
		}
		rules, err := s.learningRules(ctx, files, shown, entry)
		if err != nil {
			return c, err
		}
		if learnt, err = extract.Check(answer, run, rules); err != nil {
			return c, err
		}
		title := fmt.Sprintf("%s of run %s", plural.Count(len(learnt.New)+len(learnt.Updates), "fact"), memory.ShortID(run.ID))
		return writeback.Change{Verb: "extract", Title: title, Edits: extract.Edits(files, run.ID, learnt)}, nil
	})
	if err != nil {
		return extract.Learnt{}, err
	}
	return learnt, nil
}

// learningRules are what memory knows now. A fact that was shown and is not
// as it was any more cannot be changed.
func (s *site) learningRules(ctx context.Context, files map[string][]byte, shown []memory.Fact, entry *memory.Entry) (extract.Rules, error) {
	rules := extract.Rules{All: extract.Facts(files), Redact: s.redact.Text, Same: consolidate.Same, Now: time.Now(), Commit: entry.Base}
	if n := len(entry.Commits); n > 0 {
		rules.Commit = entry.Commits[n-1].ID
	}
	for _, f := range shown {
		f.Struck = !slices.ContainsFunc(rules.All, func(g memory.Fact) bool { return reflect.DeepEqual(f, g) })
		rules.Shown = append(rules.Shown, f)
	}
	barred, err := s.store.Barred(ctx)
	if err != nil {
		return rules, err
	}
	forgotten, err := s.store.Forgotten(ctx)
	if err != nil {
		return rules, err
	}
	gone := map[string]bool{}
	for _, f := range forgotten {
		gone[rules.Same(f.Text)] = true
	}
	rules.Forgotten = func(id, text string) bool { return barred(id) || barred(memory.TextID(text)) || gone[rules.Same(text)] }
	return rules, nil
}

// tellLearnt says what came of asking, and what it cost.
func (s *site) tellLearnt(id string, l learning) {
	if l.cost == 0 && len(l.New)+len(l.Updates)+len(l.Refused) == 0 {
		return
	}
	line := fmt.Sprintf("learnt %s of run %s", plural.Count(len(l.New), "fact"), memory.ShortID(id))
	if n := len(l.Updates); n > 0 {
		line += fmt.Sprintf(", corrected %d", n)
	}
	if n := len(l.Refused); n > 0 {
		line += fmt.Sprintf(", refused %d (%s)", n, strings.Join(s.reasons(l.Refused), "; "))
	}
	if l.cost > 0 {
		line += fmt.Sprintf(", for $%.4f", l.cost)
	}
	s.say("%s", line)
}

// reasons are why facts were refused, each once, the first few.
func (s *site) reasons(list []extract.Refusal) []string {
	const most = 3
	var out []string
	for _, r := range list {
		why := cutRunes(cleanLine(s.redact.Text(r.Why)), 80)
		if !slices.Contains(out, why) && len(out) < most {
			out = append(out, why)
		}
	}
	return out
}
