package scriptedagent

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/google/uuid"
)

// ScriptEnv is the environment variable that names the script.
const ScriptEnv = "SCRIPTED_AGENT"

// version is printed for --version, in place of Claude's version.
const version = "0.0.0 (scripted agent)"

type agent struct {
	script         script
	dir            string
	prompt         string
	out            *stream
	stdout, stderr io.Writer
}

// Main runs the program: it uses the process's arguments, environment, working
// directory and standard streams, and returns the exit code. 70 means that the
// script could not be read or run.
func Main() int {
	opts := parseArgs(os.Args[1:])
	if opts.version {
		fmt.Println(version)
		return 0
	}
	code, err := run(opts)
	if err != nil {
		fmt.Fprintf(os.Stderr, "scripted agent: %v\n", err)
		return 70
	}
	return code
}

func run(opts options) (int, error) {
	prompt, err := io.ReadAll(os.Stdin)
	if err != nil {
		return 0, fmt.Errorf("reading the prompt: %w", err)
	}
	a := &agent{prompt: string(prompt), stdout: os.Stdout, stderr: os.Stderr}
	if a.dir, err = os.Getwd(); err != nil {
		return 0, err
	}
	a.out = &stream{out: os.Stdout, plain: opts.format == "", final: opts.format == "json", session: opts.session, started: time.Now(), denials: []object{}}
	steps := []step{{verb: "say", args: []string{a.introduction()}}}
	if path := os.Getenv(ScriptEnv); path != "" {
		data, err := os.ReadFile(path)
		if err != nil {
			return 0, fmt.Errorf("reading the script: %w", err)
		}
		if a.script, err = parse(data); err != nil {
			return 0, fmt.Errorf("script %s: %w", path, err)
		}
		steps = a.script.stepsFor(a.prompt)
	}
	a.endOnSignal()
	a.out.init(a.dir, opts.mode)
	for _, s := range steps {
		err := verbs[s.verb].do(a, s.args)
		if code := exit(0); errors.As(err, &code) {
			return int(code), nil
		}
		if err != nil {
			return 0, fmt.Errorf("line %d: %s: %w", s.line, s.verb, err)
		}
	}
	a.out.result(nil)
	return 0, nil
}

func (a *agent) introduction() string {
	return fmt.Sprintf("I am a scripted agent: no model is behind this answer, and no script tells me what to do. "+
		"I read a prompt of %d bytes and changed nothing.", len(a.prompt))
}

// endOnSignal makes the agent end like Claude on a signal: always with a
// result, which after a termination reports success.
func (a *agent) endOnSignal() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		if <-signals == os.Interrupt {
			a.interrupted()
			os.Exit(0)
		}
		a.out.result(nil)
		os.Exit(143)
	}()
}

func (a *agent) interrupted() {
	a.out.user(object{"type": "text", "text": "[Request interrupted by user]"}, nil)
	a.out.result(object{
		"subtype": "error_during_execution", "is_error": true, "result": nil,
		"terminal_reason": "aborted_streaming", "errors": []string{"interrupted"},
	})
}

type options struct {
	version               bool
	format, mode, session string // format: "stream-json", "json", or "" for plain text
}

// parseArgs reads the known arguments of Claude and skips the others.
func parseArgs(args []string) options {
	o := options{mode: "default", session: uuid.NewString()}
	for i, arg := range args {
		next := ""
		if i+1 < len(args) {
			next = args[i+1]
		}
		switch arg {
		case "--version", "-v":
			o.version = true
		case "--output-format":
			if next == "stream-json" || next == "json" {
				o.format = next
			}
		case "--permission-mode":
			o.mode = next
		case "--resume", "-r", "--session-id":
			o.session = next
		}
	}
	return o
}
