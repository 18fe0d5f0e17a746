// Package ask puts one question to an agent CLI and gives back its answer.
//
// The program is started for this alone, in an empty folder outside any
// repository, whose settings could start programs. The Claude CLI runs without
// tools and in its safe mode, in which no hook of the user runs either. When Ask
// returns, no process of the program is left, whether it answered, was ended or
// has run away. The context limits its time.
//
// The answer comes from a model that has read text of strangers: nothing may act
// on it before Decode and the caller have checked it.
package ask

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"agentflow/internal/proc"

	"github.com/google/uuid"
)

// Limits of a CLI's output, in bytes.
const (
	MaxAnswer = 1 << 20
	maxStderr = 16 << 10
)

// grace is how long a CLI that is to end may take, when its time is not over
// anyway.
const grace = time.Second

// CheapModel is the cheapest that the Claude CLI knows by a name that lasts.
const CheapModel = "haiku"

// CLI is a program that answers questions.
type CLI struct {
	// Argv is the program, with the arguments that stand before ours.
	Argv []string
	// Plain: it is any program that reads the question on standard input and
	// prints the answer. Otherwise it is the Claude CLI.
	Plain bool
	// Environ is its whole environment. The caller leaves out the variables that
	// make a Claude CLI believe that it runs inside another.
	Environ []string
	// These are for the Claude CLI; empty and 0 leave them out. MaxTokens, of
	// the answer, takes thinking away too, which would count among them.
	Model      string
	MaxCostUSD float64
	MaxTokens  int
}

// Answer is the answer to a question. Its cost, in US dollars, is 0 where the CLI
// does not report it.
type Answer struct {
	Text    string
	CostUSD float64
}

// Ask asks once. An error comes with the cost of the answer all the same; it
// matches ErrInside, or is the cause of the context's end.
func (c CLI) Ask(ctx context.Context, q Question) (Answer, error) {
	if Inside(c.Environ) {
		return Answer{}, ErrInside
	}
	out, err := c.run(ctx, q)
	if c.Plain {
		return Answer{Text: string(out.stdout)}, out.failure(err)
	}
	r, found := findResult(out.stdout)
	answer := Answer{Text: r.Result, CostUSD: max(r.Cost, 0)}
	switch {
	case err != nil || out.code != 0:
		if found && err == nil && r.Result != "" {
			err = fmt.Errorf("the CLI failed: %s", Line(r.Result))
		}
		return answer, out.failure(err)
	case !found:
		return answer, fmt.Errorf("the CLI printed no result (%s)", Line(string(out.stdout)))
	case r.IsError || r.Subtype != "success":
		return answer, fmt.Errorf("the CLI failed: %s (%s)", Line(r.Result), Line(r.Subtype))
	}
	return answer, nil
}

// output is the output of a run of the CLI, and its exit code.
type output struct {
	stdout, stderr []byte
	code           int
}

// failure is why a run failed: err where there is one, else the exit code,
// which its standard error may explain.
func (o output) failure(err error) error {
	if err != nil || o.code == 0 {
		return err
	}
	if said := Line(string(o.stderr)); said != "" {
		return fmt.Errorf("the CLI failed: exit code %d (%s)", o.code, said)
	}
	return fmt.Errorf("the CLI failed: exit code %d", o.code)
}

// run starts the CLI, and returns when nothing of it is left.
func (c CLI) run(ctx context.Context, q Question) (output, error) {
	// A folder of its own: an agent may read the instructions of the one it is
	// in, and that for temporary files is open to all.
	dir, err := os.MkdirTemp("", "agentflow-ask-")
	if err != nil {
		return output{}, fmt.Errorf("make a folder for the CLI: %w", err)
	}
	defer os.RemoveAll(dir)
	argv, stdin := append([]string{}, c.Argv...), q.Data
	if c.Plain {
		stdin = plainQuestion(q)
	} else {
		argv = append(argv, c.claudeArgs(q)...)
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	stdout := &proc.Clipped{Most: MaxAnswer, Full: func() { stop(fmt.Errorf("the answer is larger than %d bytes", MaxAnswer)) }}
	stderr := &proc.Clipped{Most: maxStderr}
	p, err := proc.Start(proc.Spec{
		Argv: argv, Dir: dir, Env: c.environ(), Tag: uuid.NewString(), Stdin: []byte(stdin),
		Stdout: stdout, Stderr: stderr, Spool: !c.Plain, Grace: grace,
	})
	if err != nil {
		return output{}, err
	}
	exit, err := p.Wait(ctx)
	p.End(ctx)
	if ctx.Err() != nil {
		err = context.Cause(ctx)
		_, _ = p.Wait(context.WithoutCancel(ctx)) // its writers are done: it was ended
	}
	return output{stdout.Data, stderr.Data, exit.Code}, err
}

// ErrInside is returned for a question from inside another one: an agent that
// answers a question must not make us ask the next.
var ErrInside = errors.New("this is already part of a question to an agent")

// Question is an instruction and its data, apart so that data is not taken for
// instructions.
type Question struct{ Instruction, Data string }

// NewQuestion is a question whose data is JSON. data is of a type that always
// has it, such as a struct of texts and numbers; any other panics.
func NewQuestion(instruction string, data any) Question {
	var text strings.Builder
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(data); err != nil {
		panic("ask: data without JSON: " + err.Error())
	}
	return Question{Instruction: instruction, Data: text.String()}
}

// Label is the name, in a question, of the item at index i: short, and no id of
// memory, of which a model could make up others.
func Label(i int) string { return fmt.Sprintf("f%d", i+1) }
