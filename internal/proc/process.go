// Package proc starts one agent and controls every process that descends from
// it.
//
// The agent gets a new session and process group, and its output goes through
// pipes, or a spool, that this package owns. When it has ended, or must end,
// every process that it left is ended too: children in other sessions, daemons
// that forked twice, and processes started while the others are being ended.
//
// A process belongs to a run if it descends from the agent, if its environment
// holds AGENTFLOW_RUN_ID with the run's tag, if it belonged to the run in an
// earlier listing, or if it was orphaned from a session of the run. A process
// of another run, a process that other code of this program started, this
// program and its ancestors are never touched.
//
// Guaranteed on Linux: this program becomes a child subreaper, so orphans stay
// visible; the agent is killed when this program is killed; no signal goes to a
// process with a reused id (process descriptors and start times ensure that).
// On macOS neither exists: after a SIGKILL of this program, only EndTagged ends
// the processes. On Windows a job object holds the run and ends it with this
// program.
//
// Not guaranteed: a process that drops its environment, opens a new session and
// loses its parent between two listings (half a second apart while the agent
// runs) is not noticed. Nor is a process ended that this user may not signal.
//
// Processes that git started in the background for the repository are not
// ended.
package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// TagVar names the variable that holds the run's tag in every process
// of the run.
const TagVar = "AGENTFLOW_RUN_ID"

// Spec describes the program to start.
type Spec struct {
	// Argv is the program and its arguments. A name without a slash is looked
	// up in the PATH of Env; a relative path is relative to Dir.
	Argv []string
	// Dir is the working directory; empty means this program's directory.
	Dir string
	// Env is the complete environment as "name=value"; nil means this program's
	// environment.
	Env []string
	// Tag is the run's id. Start puts it into the environment. Without a tag,
	// the processes of the run are recognized only by descent.
	Tag string
	// Stdin is written to the agent's standard input, which is then closed; nil
	// is an empty input. It is not an error if the agent does not read it.
	Stdin []byte
	// Stdout and Stderr are each written from one goroutine, at most 256 KiB at
	// a time; nil discards the output. If both are the same writer, it must
	// support concurrent calls.
	Stdout, Stderr io.Writer
	// Spool makes the agent's standard output a file in memory (Linux) or
	// without a name, which is read while it grows. It is for agents that exit
	// without writing the text that a full pipe did not take. If the system has
	// no such files, a pipe is used.
	Spool bool
	// Grace is the time between asking a process to end and killing it.
	Grace time.Duration
}

// Exit describes how the agent ended.
type Exit struct {
	// Code is the exit code. If a signal ended the agent, it is 128 plus the
	// signal's number, as in shells.
	Code int
	// Signal is the name of that signal ("SIGKILL"); empty otherwise.
	Signal string
}

// Ended is a process that was ended.
type Ended struct {
	PID int
	// Command is the cleaned and shortened argv, at most 80 runes.
	Command string
	// Killed means that the process did not end when asked to.
	Killed bool
}

// Process is a started agent. Its methods may be called from any goroutine. End
// must be called when the agent is no longer needed, also after it ended by
// itself.
type Process struct {
	cmd      *exec.Cmd
	children *childProcesses
	grace    time.Duration
	feed     *os.File
	pumps    []*pump
	dead     chan struct{} // closed after the agent was reaped; exit is set before
	drained  chan struct{} // closed after its output was delivered; err is set before
	exit     Exit
	err      error
}

// Start starts the agent. An error means that it did not start, and wraps the
// error of the look-up or the system (exec.ErrNotFound, fs.ErrPermission, …).
func Start(spec Spec) (*Process, error) {
	if len(spec.Argv) == 0 {
		return nil, errors.New("starting the agent: no program given")
	}
	p, err := start(spec)
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", spec.Argv[0], err)
	}
	return p, nil
}

func start(spec Spec) (*Process, error) {
	cmd, err := command(spec)
	if err != nil {
		return nil, err
	}
	p := &Process{cmd: cmd, grace: spec.Grace, dead: make(chan struct{}), drained: make(chan struct{})}
	theirs, err := p.connect(spec)
	if err == nil {
		started := make(chan error)
		go p.live(spec.Tag, started)
		err = <-started
	}
	for _, f := range theirs {
		f.Close()
	}
	if err != nil {
		p.disconnect()
		return nil, err
	}
	for _, pump := range p.pumps {
		go pump.run()
	}
	if p.feed != nil {
		go feed(p.feed, spec.Stdin)
	}
	go p.finish()
	return p, nil
}

// command finds the program and describes the child.
func command(spec Spec) (*exec.Cmd, error) {
	dir, err := filepath.Abs(spec.Dir)
	if err != nil {
		return nil, err
	}
	// Check the directory, because os/exec reports a missing directory as if
	// the program were missing.
	if info, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("working directory: %w", err)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("working directory %s: %w", dir, syscall.ENOTDIR)
	}
	env := spec.Env
	if env == nil {
		env = os.Environ()
	}
	path, err := lookup(spec.Argv[0], dir, Variable(env, "PATH"))
	if err != nil {
		return nil, err
	}
	cmd := &exec.Cmd{Path: path, Args: spec.Argv, Dir: dir, Env: withTag(env, spec.Tag)}
	prepare(cmd)
	return cmd, nil
}

// connect creates the pipes and returns the child's ends.
func (p *Process) connect(spec Spec) (theirs []*os.File, err error) {
	if len(spec.Stdin) > 0 {
		r, w, err := os.Pipe()
		if err != nil {
			return theirs, fmt.Errorf("making a pipe: %w", err)
		}
		p.cmd.Stdin, p.feed = r, w
		theirs = append(theirs, r)
	}
	spooled := false
	if spec.Spool && spec.Stdout != nil {
		if s, err := newSpool(); err == nil {
			p.cmd.Stdout, spooled = s.f, true
			p.pumps = append(p.pumps, newPump(s, spec.Stdout))
		}
	}
	for _, out := range []struct {
		to  io.Writer
		end *io.Writer
	}{{spec.Stdout, &p.cmd.Stdout}, {spec.Stderr, &p.cmd.Stderr}} {
		if out.to == nil || spooled && out.end == &p.cmd.Stdout {
			continue
		}
		r, w, err := os.Pipe()
		if err != nil {
			return theirs, fmt.Errorf("making a pipe: %w", err)
		}
		widen(w)
		*out.end = w
		theirs = append(theirs, w)
		p.pumps = append(p.pumps, newPump(r, out.to))
	}
	return theirs, nil
}

func (p *Process) disconnect() {
	if p.feed != nil {
		p.feed.Close()
	}
	for _, pump := range p.pumps {
		pump.r.Close()
	}
}

// live starts the agent and returns when it has ended. On Linux the
// parent-death signal depends on the thread that forked, not on the process, so
// this goroutine keeps its thread for as long as the agent lives.
func (p *Process) live(tag string, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	if err != nil {
		started <- err
		return
	}
	p.children, err = newChildProcesses(p.cmd.Process, tag)
	if err != nil {
		p.cmd.Process.Kill()
		p.cmd.Wait()
		started <- err
		return
	}
	started <- nil
	go p.children.watch(p.dead)
	p.children.awaitExit()
	p.cmd.Wait()
	p.exit = exitOf(p.cmd.ProcessState)
	close(p.dead)
}

// finish waits until the agent has ended and its output is delivered.
func (p *Process) finish() {
	<-p.dead
	if p.feed != nil {
		// Unblock a feed if a child of the agent still holds the pipe. The
		// error does not matter: feed may have closed the pipe.
		p.feed.Close()
	}
	limit := make(chan struct{})
	timer := time.AfterFunc(drainLimit, func() { close(limit) })
	defer timer.Stop()
	for _, pump := range p.pumps {
		pump.wake()
	}
	for _, pump := range p.pumps {
		p.err = errors.Join(p.err, pump.settle(limit))
	}
	close(p.drained)
}

// PID returns the agent's process id, which is also its process group's id on
// Unix.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Wait waits for the agent itself, then for the delivery of its output:
// everything that it wrote, but never for processes that hold its pipes open
// (at most 5 seconds; a spool takes as long as it is passed on). The error is
// ctx's, in which case Wait may be called again, or the error of a writer that
// did not take the output, in which case Exit is valid. It never describes how
// the agent ended.
func (p *Process) Wait(ctx context.Context) (Exit, error) {
	select {
	case <-p.drained:
		return p.exit, p.err
	case <-ctx.Done():
		return Exit{}, fmt.Errorf("waiting for %s: %w", filepath.Base(p.cmd.Path), ctx.Err())
	}
}

// Signal sends sig to the agent's process group. After the agent has ended, it
// returns os.ErrProcessDone.
func (p *Process) Signal(sig os.Signal) error {
	select {
	case <-p.dead:
		return os.ErrProcessDone
	default:
	}
	if err := p.children.signal(sig); err != nil {
		return fmt.Errorf("sending %v to process group %d: %w", sig, p.PID(), err)
	}
	return nil
}

// End ends the agent if it still lives, and every process that descends from
// it: it asks them to end, waits for Grace, and kills them. It returns the
// processes that it ended, except the agent. If ctx ends, the rest of Grace is
// skipped; the killing still happens and takes at most 5 seconds. The result
// does not include processes that could not be ended; Alive finds them.
func (p *Process) End(ctx context.Context) []Ended {
	return p.children.end(ctx, p.grace, p.dead)
}
