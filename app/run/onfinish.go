package run

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/executor"
	"agentflow/internal/lists"
	"agentflow/internal/proc"
	"agentflow/internal/textwidth"
)

// onFinishTime limits the time of the on_finish command.
const onFinishTime = 30 * time.Second

// Finish describes the end of a run or of a scheduled job for the on_finish command.
type Finish struct {
	Run     string // id; empty for a job that is not a run
	Job     string // name of the schedule; empty for a run
	Outcome string
	Cost    float64 // US dollars
	Summary string  // only its first line is passed on
}

// finishOf describes the end of a run.
func finishOf(rec executor.Record) Finish {
	f := Finish{Run: rec.Entry.ID, Outcome: string(rec.Outcome), Summary: rec.Entry.Summary}
	if rec.Entry.Result != nil {
		f.Cost = rec.Entry.Result.CostUSD
	}
	return f
}

// environ returns the environment variables for on_finish. The id of the run is not among them: proc.Start sets it from
// the tag.
func (f Finish) environ() []string {
	summary, _, _ := strings.Cut(strings.TrimSpace(f.Summary), "\n")
	return []string{"AGENTFLOW_JOB=" + f.Job, "AGENTFLOW_OUTCOME=" + f.Outcome,
		"AGENTFLOW_COST_USD=" + strconv.FormatFloat(f.Cost, 'f', -1, 64), "AGENTFLOW_SUMMARY=" + textwidth.Cut(app.CleanLine(summary), 200)}
}

// Finished rings the bell and runs the on_finish command if they are configured. The command writes to output. Its
// failure is only reported.
func Finished(ctx context.Context, s *app.Repo, f Finish, output io.Writer) {
	if s.Settings.Run.Bell {
		s.Tell(app.Event{Kind: app.EventBell})
	}
	command := s.Settings.Run.OnFinish
	if command == "" {
		return
	}
	if err := tellCommand(context.WithoutCancel(ctx), s, command, f, output); err != nil {
		lines := []string{fmt.Sprintf("on_finish: %v", err)}
		if s.Store == nil {
			s.Warn("%s", lines[0])
			return
		}
		s.Degraded("on_finish", lines)
	}
}

// tellCommand runs on_finish until it ends, and ends the processes that it left.
func tellCommand(ctx context.Context, s *app.Repo, command string, f Finish, output io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, onFinishTime)
	defer cancel()
	if output == nil {
		output = io.Discard
	}
	p, err := proc.Start(proc.Spec{Argv: executor.Shell(command), Dir: s.Dir, Env: append(lists.Filled(s.Environ), f.environ()...),
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
