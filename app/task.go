package app

import (
	"agentflow/internal/plural"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// maxTask bounds a task; more is a mistake, such as a binary file.
const maxTask = 4 << 20

// task finds out what the agent is to do.
func (a *operation) task(ctx context.Context, o runOptions, words []string) (string, error) {
	text, err := a.taskText(ctx, o, words)
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(text) == "" {
		return "", &Error{Kind: KindUsage, Err: errors.New("the task is empty"), Hint: `agentflow run "Fix the flaky login test"`}
	}
	return text, nil
}

func (a *operation) taskText(ctx context.Context, o runOptions, words []string) (string, error) {
	switch {
	case o.file != "" && len(words) > 0:
		return "", usagef("there are two tasks: the words and --file %s", o.file)
	case o.file != "":
		return a.readFile(o.file)
	case len(words) == 1 && words[0] == "-":
		return readTask(a.in)
	case len(words) > 0:
		return strings.Join(words, " "), nil
	case a.inTTY && a.errTTY:
		return a.editTask(ctx)
	}
	return "", &Error{Kind: KindUsage, Err: errors.New("there is no task"), Hint: `agentflow run "Fix the flaky login test", or - to read it from standard input`}
}

// readFile reads a task, or several, from a file; - is standard input.
func (a *operation) readFile(name string) (string, error) {
	if name == "-" {
		return readTask(a.in)
	}
	f, err := os.Open(name)
	if err != nil {
		return "", fmt.Errorf("reading the task: %w", err)
	}
	defer f.Close()
	return readTask(f)
}

func readTask(r io.Reader) (string, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxTask+1))
	if err != nil {
		return "", fmt.Errorf("reading the task: %w", err)
	}
	if len(data) > maxTask {
		return "", usagef("the task is larger than %s", plural.Bytes(maxTask))
	}
	return strings.TrimRight(string(data), "\n"), nil
}

// editTask opens the user's editor on an empty file.
func (a *operation) editTask(ctx context.Context) (string, error) {
	if len(a.editor()) == 0 {
		return "", &Error{Kind: KindUsage, Err: errors.New("there is no task, and no editor to write one"), Hint: "set EDITOR, or give the task as words"}
	}
	dir, err := os.MkdirTemp("", "agentflow-task-")
	if err != nil {
		return "", fmt.Errorf("making a file for the task: %w", err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "TASK.md")
	if err := a.editFile(ctx, path); err != nil {
		return "", fmt.Errorf("editing the task: %w", err)
	}
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("reading the task: %w", err)
	}
	defer f.Close()
	return readTask(f)
}
