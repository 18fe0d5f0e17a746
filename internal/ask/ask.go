// Package ask asks an agent CLI one question and returns its answer.
//
// The program is started only for the question, in an empty folder outside any
// repository, because a repository's settings could start programs. The Claude
// CLI runs without tools and in safe mode, which also disables the user's
// hooks. When Ask returns, no process of the program is left, whether it
// answered, was killed or tried to escape. The context limits its time.
//
// The answer comes from a model that has read untrusted text: nothing may act
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

// grace gives a CLI time to end after it was asked to, unless its
// time is over.
const grace = time.Second

// CheapModel always names the cheapest model of the Claude CLI.
const CheapModel = "haiku"

// CLI is a program that answers questions.
type CLI struct {
	// Argv is the program, with the arguments that precede the generated ones.
	Argv []string
	// Plain means that the CLI is any program that reads the question on
	// standard input and prints the answer. Otherwise it is the Claude CLI.
	Plain bool
	// Environ is the complete environment. The caller leaves out the variables
	// that make a Claude CLI assume that it runs inside another one.
	Environ []string
	// Options of the Claude CLI; empty and 0 leave them out. MaxTokens limits
	// the answer. It also turns thinking off, which would count towards the
	// limit.
	Model      string
	MaxCostUSD float64
	MaxTokens  int
}

// Answer is the answer to a question. Its cost, in US dollars, is 0 if the CLI
// does not report it.
type Answer struct {
	Text    string
	CostUSD float64
}

// Ask asks the question once. With an error it still returns the cost of the
// answer. The error matches ErrInside, or is the cause of the context's end.
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

// output is the output and exit code of a run of the CLI.
type output struct {
	stdout, stderr []byte
	code           int
}

// failure returns why a run failed: err if it is set, otherwise the exit code
// with an explanation from standard error.
func (o output) failure(err error) error {
	if err != nil || o.code == 0 {
		return err
	}
	if said := Line(string(o.stderr)); said != "" {
		return fmt.Errorf("the CLI failed: exit code %d (%s)", o.code, said)
	}
	return fmt.Errorf("the CLI failed: exit code %d", o.code)
}

// run starts the CLI, and returns when none of its processes is left.
func (c CLI) run(ctx context.Context, q Question) (output, error) {
	// Use a separate folder: an agent may read the instructions in its folder,
	// and every user can write to the system's folder for temporary files.
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
		_, _ = p.Wait(context.WithoutCancel(ctx)) // it was killed, and its writers are done
	}
	return output{stdout.Data, stderr.Data, exit.Code}, err
}

// ErrInside rejects a question from inside another question: an agent
// that answers a question must not cause the next one.
var ErrInside = errors.New("this is already part of a question to an agent")

// Question is an instruction and its data, kept separate so that the data are
// not taken for instructions.
type Question struct{ Instruction, Data string }

// NewQuestion returns a question with its data as JSON. It panics if data
// cannot be encoded, so data should be a type like a struct of texts and
// numbers.
func NewQuestion(instruction string, data any) Question {
	var text strings.Builder
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(data); err != nil {
		panic("ask: data without JSON: " + err.Error())
	}
	return Question{Instruction: instruction, Data: text.String()}
}

// Label returns the name, within a question, of the item at index i. It is
// short, and not an id of memory, because a model could invent other ids.
func Label(i int) string { return fmt.Sprintf("f%d", i+1) }
