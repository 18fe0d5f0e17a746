package app

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"agentflow/api"
	"agentflow/executor"
	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback"
)

// report tells how the run went and turns it into an exit code.
func (s *site) report(rec executor.Record, end fate, o runOptions) error {
	s.tellTrouble(rec)
	advice := s.advice(rec, end)
	if o.asJSON {
		if err := s.json(recordObject(rec, end, advice)); err != nil {
			return err
		}
	} else {
		s.acknowledge(rec)
		if end != (fate{}) {
			for _, line := range end.lines() {
				s.say("%s", line)
			}
		}
	}
	s.tellWhy(rec.Reason, advice)
	return exitOf(rec, o)
}

// tellWhy says why a run did not end well, if nobody has said it yet, and what
// to do.
func (s *site) tellWhy(reason string, advice []string) {
	if reason != "" {
		s.fail(errors.New(cutRunes(reason, maxReason)))
	}
	for _, line := range advice {
		s.hint("%s", line)
	}
}

// maxReason is how much of a reason is said, in runes.
const maxReason = 300

// tellTrouble says what of memory did not work.
func (s *site) tellTrouble(rec executor.Record) {
	s.degraded("run", rec.Degraded)
	if rec.RecordError != nil {
		s.tellLost(rec)
	}
}

// recordObject is a run that just ended, as JSON.
func recordObject(rec executor.Record, end fate, advice []string) runObject {
	object := api.NewRun(rec.Entry, rec.MemoryPath)
	object.Hits, object.Degraded, object.WorktreePath, object.Hints = filled(rec.Hits), filled(rec.Degraded), end.path, advice
	return object
}

// tellLost says what becomes of an entry that is not in Markdown; why it is
// not stands in Degraded and was told. One that no store would take is
// printed whole: it must not vanish with the process.
func (s *site) tellLost(rec executor.Record) {
	var pending *writeback.PendingError
	if errors.As(rec.RecordError, &pending) {
		s.hint("%s", pendingHint)
		return
	}
	s.warn("nothing could keep the entry of this run; here it is whole:")
	fmt.Fprintf(s.err, "%s", memory.Clean(string(markdown.Format(rec.Entry))))
	s.hint("'agentflow doctor' says what cannot be written")
}

// acknowledge says what was remembered.
func (s *site) acknowledge(rec executor.Record) {
	e := rec.Entry
	if rec.MemoryPath != "" {
		s.tellFacts(e.Facts)
	}
	for _, denied := range e.Denials {
		s.warn("denied: %s", denied)
	}
	for _, remark := range e.Remarks {
		s.say("%s", remark)
	}
	if e.Result == nil {
		return
	}
	line := runLine(&e)
	if rec.MemoryPath != "" {
		line += " → " + s.shown(rec.MemoryPath)
	}
	s.say("%s", line)
}

// tellFacts says what is remembered from now on.
func (s *site) tellFacts(facts []memory.Fact) {
	for _, f := range facts {
		s.say("remembered %s: %s", memory.ShortID(f.ID), cutRunes(strings.ReplaceAll(f.Text, "\n", " "), 120))
	}
}

// runLine is a run in one line: how it ended, what it took and left.
func runLine(e *memory.Entry) string {
	cost := ""
	if e.Result.CostUSD > 0 {
		cost = ", " + memory.Price(e.Result.CostUSD)
	}
	return fmt.Sprintf("run %s %s in %s%s%s", memory.ShortID(e.ID), strings.ReplaceAll(string(e.Result.Outcome), "_", " "),
		e.Result.Duration.Round(precision(e.Result.Duration)), cost, sizeOf(e))
}

// exitOf is the exit code of a run, the first that applies.
func exitOf(rec executor.Record, o runOptions) error {
	code := exitOK
	switch {
	case rec.Outcome == memory.OutcomeInterrupted && rec.Terminated:
		code = exitTerminated
	case rec.Outcome == memory.OutcomeInterrupted:
		code = exitInterrupted
	case rec.Outcome == memory.OutcomeTimeout:
		code = exitTimeout
	case rec.Outcome == memory.OutcomeNotStarted:
		code = exitNotStarted
	case o.passthrough && rec.ExitCode > 0:
		code = rec.ExitCode
	case rec.Outcome != memory.OutcomeOK && !o.passthrough:
		code = exitAgent
	case rec.RecordError != nil, o.strict && len(rec.Degraded) > 0:
		code = exitNotRecorded
	}
	if code == exitOK {
		return nil
	}
	return codedError{code: code, err: fmt.Errorf("the run ended: %s", rec.Outcome), said: true}
}

// precision is how exactly people want to know a duration.
func precision(d time.Duration) time.Duration {
	if d < time.Second {
		return time.Millisecond
	}
	return time.Second / 10
}
