package app

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"agentflow/executor"
	"agentflow/internal/proc"
	"agentflow/internal/textwidth"
)

// onFinishTime is how long the on_finish command may take.
const onFinishTime = 30 * time.Second

// finish is how a run or a scheduled job ended, for the on_finish command.
type finish struct {
	Run     string // id; empty of a job that is no run
	Job     string // name of the schedule; empty of a run
	Outcome string
	Cost    float64 // US dollars
	Summary string  // its first line is passed on
}

// finishOf is how a run ended.
func finishOf(rec executor.Record) finish {
	f := finish{Run: rec.Entry.ID, Outcome: string(rec.Outcome), Summary: rec.Entry.Summary}
	if rec.Entry.Result != nil {
		f.Cost = rec.Entry.Result.CostUSD
	}
	return f
}

// environ is what on_finish finds in its environment. The run's id is put
// there by the process's tag.
func (f finish) environ() []string {
	summary, _, _ := strings.Cut(strings.TrimSpace(f.Summary), "\n")
	return []string{"AGENTFLOW_JOB=" + f.Job, "AGENTFLOW_OUTCOME=" + f.Outcome,
		"AGENTFLOW_COST_USD=" + strconv.FormatFloat(f.Cost, 'f', -1, 64), "AGENTFLOW_SUMMARY=" + textwidth.Cut(cleanLine(summary), 200)}
}

// finished rings the bell and tells the on_finish command, whose output goes to
// output. A failure of that is reported and changes nothing.
func (s *openMemory) finished(ctx context.Context, f finish, output io.Writer) {
	if s.settings.Run.Bell {
		s.tell(Event{Kind: EventBell})
	}
	command := s.settings.Run.OnFinish
	if command == "" {
		return
	}
	if err := s.tellCommand(context.WithoutCancel(ctx), command, f, output); err != nil {
		lines := []string{fmt.Sprintf("on_finish: %v", err)}
		if s.store == nil {
			s.warn("%s", lines[0])
			return
		}
		s.degraded("on_finish", lines)
	}
}

// tellCommand runs on_finish to its end, and ends the processes that it left.
func (s *openMemory) tellCommand(ctx context.Context, command string, f finish, output io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, onFinishTime)
	defer cancel()
	if output == nil {
		output = io.Discard
	}
	p, err := proc.Start(proc.Spec{Argv: executor.Shell(command), Dir: s.dir, Env: append(filled(s.environ), f.environ()...),
		Tag: f.Run, Stdout: output, Stderr: output})
	if err != nil {
		return err
	}
	defer p.End(ctx)
	exit, err := p.Wait(ctx)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("ended after %v", onFinishTime)
	case err != nil:
		return err
	case exit.Code != 0:
		return fmt.Errorf("exit code %d", exit.Code)
	}
	return nil
}
