package daemon

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/builtin"
	"agentflow/app/connect"
	apprun "agentflow/app/run"
	"agentflow/internal/config"
	"agentflow/internal/proc"
	"agentflow/internal/safefile"
	"agentflow/internal/schedule"
	"agentflow/internal/textwidth"
)

// jobRunner runs the jobs of a repository, each as a separate process of this program, so that the crash of a job does
// not end this process.
type jobRunner struct {
	*app.Repo
	Store   schedule.Store
	program string
	Now     func() time.Time
	tasks   chan struct{}   // holds a token while a task runs: tasks share a work tree, so they run one after the other
	hurry   <-chan struct{} // closed by the second interrupt
}

func newJobRunner(s *app.Repo, program string, hurry <-chan struct{}) (*jobRunner, error) {
	store, err := pastOfJobs(s)
	if err != nil {
		return nil, err
	}
	return &jobRunner{Repo: s, Store: store, program: program, Now: time.Now, tasks: make(chan struct{}, 1), hurry: hurry}, nil
}

// jobReport is the outcome of a job, with hints for the user.
type jobReport struct {
	schedule.Outcome
	hints []string
}

// failedToStart returns the report of a job that could not start.
func failedToStart(err error) jobReport {
	report := jobReport{Outcome: schedule.Outcome{Result: schedule.Failed, Reason: err.Error(), ExitCode: -1}}
	if errors.Is(err, connect.ErrNoLogin) {
		report.hints = []string{builtin.Agents[0].Login}
	}
	return report
}

// run runs a job if its checks pass, and stores its outcome. If another process runs the job, the error is
// *filelock.HeldError.
func (r *jobRunner) run(ctx context.Context, c config.Schedule) (jobReport, error) {
	keep := context.WithoutCancel(ctx) // an interrupt is recorded too
	if c.Task != "" {
		r.tasks <- struct{}{} // needs no ctx: the end of ctx ends the running task, which frees the token
		defer func() { <-r.tasks }()
	}
	started := r.Now()
	begun, err := r.Store.Claim(keep, c.Name, started)
	if err != nil {
		return jobReport{}, fmt.Errorf("running %s: %w", c.Name, err)
	}
	report := r.attempt(ctx, c, begun, started)
	report.Started, report.Ended = started, r.Now()
	return report, begun.End(keep, report.Outcome)
}

// attempt starts a job if its checks pass: settings, cost per day and login.
func (r *jobRunner) attempt(ctx context.Context, c config.Schedule, begun *schedule.Begun, now time.Time) jobReport {
	job, err := job(r.Repo, c)
	if err != nil {
		return failedToStart(err)
	}
	day := job.Day(now)
	limit := 0.0
	if c.Task != "" {
		var ok bool
		if limit, ok = schedule.Allowance(cmp.Or(c.MaxCost, r.Settings.Run.MaxCost), c.MaxCostDay, begun.Past.Spent[day]); !ok {
			return jobReport{Outcome: schedule.Outcome{Result: schedule.Skipped, ExitCode: -1,
				Reason: fmt.Sprintf("the $%.2f of %s are spent: $%.2f", c.MaxCostDay, day, begun.Past.Spent[day])}}
		}
		if err := connect.Ready(ctx, r.Repo, r.agentOf(c)); err != nil {
			return failedToStart(err)
		}
	}
	if ctx.Err() != nil {
		return jobReport{Outcome: schedule.Outcome{Result: schedule.Interrupted, ExitCode: -1, Reason: "interrupted before it started"}}
	}
	if err := begun.Start(ctx, schedule.Start{At: now, Day: day, Cap: limit}); err != nil {
		return failedToStart(err)
	}
	return r.start(ctx, c, limit)
}

func (r *jobRunner) agentOf(c config.Schedule) string { return cmp.Or(c.Agent, r.Settings.Agent) }

// argv returns the command line of a job. The task goes to standard input.
func (r *jobRunner) argv(c config.Schedule, limit float64) []string {
	if c.Task == "" {
		return []string{r.program, c.Job}
	}
	argv := []string{r.program, "run", "--json", "--agent", r.agentOf(c)}
	if limit > 0 {
		argv = append(argv, "--max-cost", strconv.FormatFloat(limit, 'f', -1, 64))
	}
	if c.Timeout > 0 {
		argv = append(argv, "--timeout", c.Timeout.String())
	}
	return append(argv, "-")
}

// maxRunObject bounds the kept bytes of a run's JSON.
const maxRunObject = 16 << 20

// start runs the process of a job until it ends.
func (r *jobRunner) start(ctx context.Context, c config.Schedule, limit float64) jobReport {
	log := newJobLogger(jobLog(r.Store, c.Name), r.Redact.Text, c.What())
	spec := proc.Spec{Argv: r.argv(c, limit), Dir: cmp.Or(r.Worktree, filepath.Dir(r.Root)), Env: connect.WithUser(r.Environ), Stderr: log, Grace: jobGrace}
	object := &proc.Clipped{Most: maxRunObject}
	if spec.Stdout = log; c.Task != "" {
		spec.Stdin, spec.Stdout = []byte(c.Task), object
	}
	end, err := r.supervise(ctx, spec, c.Timeout, c.Task != "")
	r.Degraded("schedule", app.AppendError(nil, log.Close()))
	if err != nil {
		return failedToStart(err)
	}
	report := jobReport{Outcome: schedule.Outcome{Result: end.result(), ExitCode: end.exit.Code}}
	if c.Task != "" {
		report.readRun(object.Data, limit)
	}
	if report.Result != schedule.OK {
		report.Reason = cmp.Or(report.Reason, textwidth.Cut(log.lastLine(), 300), fmt.Sprintf("exit code %d", report.ExitCode))
	}
	return report
}

// readRun copies the results from the JSON of a run. Without JSON, the run's limit counts as its cost.
func (report *jobReport) readRun(object []byte, limit float64) {
	var run api.Run
	if err := json.Unmarshal(object, &run); err != nil || run.ID == "" {
		report.CostUSD = limit
		return
	}
	report.Run, report.CostUSD, report.hints = run.ID, apprun.Billed(&run, limit), run.Hints
	if len(run.Errors) > 0 {
		report.Reason = textwidth.Cut(app.CleanLine(run.Errors[0]), 300)
	}
}

// jobEnd describes how the process of a job ended.
type jobEnd struct {
	exit        proc.Exit
	interrupted bool // by this process
	timedOut    bool
}

// Exit codes of a process that was stopped, as timeout(1), shells and this program use them.
const (
	codeTimedOut    = 124
	codeInterrupted = 130
	codeTerminated  = 143
)

func (e jobEnd) result() schedule.Result {
	switch code := e.exit.Code; {
	case e.timedOut || code == codeTimedOut:
		return schedule.TimedOut
	case e.interrupted && code != 0, code == codeInterrupted, code == codeTerminated:
		return schedule.Interrupted
	case code == 0:
		return schedule.OK
	}
	return schedule.Failed
}

var errJobTimeout = errors.New("the job's time is over")

// A job that must stop gets an interrupt. It then has jobPatience to stop its children and to record its end, or
// jobGrace after a second interrupt. runSpare is the additional time that a run gets after its timeout.
const (
	jobPatience = time.Minute
	jobGrace    = 5 * time.Second
	runSpare    = 2 * time.Minute
)

// supervise starts the process of a job and waits for it. It interrupts the process if ctx ends or timeout passes. A
// timeout of 0 means never. A run has runSpare more time, because it enforces its timeout itself.
func (r *jobRunner) supervise(ctx context.Context, spec proc.Spec, timeout time.Duration, isRun bool) (jobEnd, error) {
	p, err := proc.Start(spec)
	if err != nil {
		return jobEnd{}, err
	}
	limit, cancel := ctx, func() {}
	if timeout > 0 {
		if isRun {
			timeout += runSpare
		}
		limit, cancel = context.WithTimeoutCause(ctx, timeout, errJobTimeout)
	}
	defer cancel()
	exit, err := p.Wait(limit)
	over := context.Cause(limit)
	if limit.Err() == nil || err == nil {
		p.End(context.WithoutCancel(ctx))
		return jobEnd{exit: exit}, nil
	}
	exit = r.interrupt(context.WithoutCancel(ctx), p)
	return jobEnd{exit: exit, timedOut: errors.Is(over, errJobTimeout), interrupted: true}, nil
}

// interrupt asks a process to end, waits, and then ends all processes that remain of it.
func (r *jobRunner) interrupt(ctx context.Context, p *proc.Process) proc.Exit {
	_ = p.Signal(os.Interrupt) // the process may have ended
	patient, enough := context.WithTimeout(ctx, jobPatience)
	defer enough()
	go func() {
		select {
		case <-r.hurry:
			_ = p.Signal(os.Interrupt)
			time.AfterFunc(jobGrace, enough)
		case <-patient.Done():
		}
	}()
	exit, err := p.Wait(patient)
	p.End(ctx)
	if patient.Err() != nil && err != nil {
		exit, _ = p.Wait(ctx)
	}
	return exit
}

// keepJobLog limits the bytes of a job's log before it is rotated. The previous log is kept with the suffix ".1".
const keepJobLog = 512 << 10

// maxJobLine limits the bytes of a line without an end, which is cut there.
const maxJobLine = 64 << 10

// jobLogger redacts the output of a job, writes it to the job's log in whole lines, and keeps the last line. It is safe
// for concurrent use. Write never fails, because a log that cannot be written must not end the job. Close returns the
// first error.
type jobLogger struct {
	path   string
	redact func(string) string

	mu   sync.Mutex
	line []byte // an unfinished line
	last string
	err  error // the first error; nothing is written after it
}

// newJobLogger opens the log for one more run, with title as its heading.
func newJobLogger(path string, redact func(string) string, title string) *jobLogger {
	l := &jobLogger{path: path, redact: redact}
	l.put("== " + time.Now().Format(time.RFC3339) + " " + title + "\n")
	return l
}

// Write accepts output that may end within a line.
func (l *jobLogger) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.line = append(l.line, p...)
	end := bytes.LastIndexByte(l.line, '\n') + 1
	if end == 0 && len(l.line) > maxJobLine {
		end = len(l.line)
	}
	l.take(string(l.line[:end]))
	l.line = append(l.line[:0], l.line[end:]...)
	return len(p), nil
}

// take redacts whole lines and writes them.
func (l *jobLogger) take(text string) {
	if text == "" {
		return
	}
	text = l.redact(text)
	for line := range strings.Lines(text) {
		if line = app.CleanLine(strings.TrimSpace(line)); line != "" && !strings.HasPrefix(line, "hint: ") {
			l.last = line
		}
	}
	l.put(text)
}

func (l *jobLogger) put(text string) {
	if l.err == nil {
		l.err = safefile.AppendBounded(l.path, []byte(text), keepJobLog)
	}
}

// lastLine returns the last line of the job's output that is not a hint.
func (l *jobLogger) lastLine() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last
}

// Close writes the last line and returns the first error.
func (l *jobLogger) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.take(string(l.line))
	l.line = nil
	if l.err != nil {
		return fmt.Errorf("writing the log of the job: %w", l.err)
	}
	return nil
}
