package work

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	apprun "agentflow/app/run"
	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/plural"
	"agentflow/internal/tasklist"
)

// maxTask bounds a task, in bytes; more is a mistake, such as a binary file.
const maxTask = 4 << 20

// task returns the task for the agent.
func task(ctx context.Context, c *cli.Env, o runOptions, words []string, setting apprun.TaskSetting) (string, error) {
	text, err := taskText(ctx, c, o, words, setting)
	if err == nil && strings.TrimSpace(text) == "" {
		return "", cli.HintedUsage(`agentflow run "Fix the flaky login test"`, "the task is empty")
	}
	return text, err
}

func taskText(ctx context.Context, c *cli.Env, o runOptions, words []string, setting apprun.TaskSetting) (string, error) {
	switch {
	case o.file != "" && len(words) > 0:
		return "", cli.Usagef("there are two tasks: the words and --file %s", o.file)
	case o.file != "":
		return readFile(c, o.file)
	case len(words) == 1 && words[0] == "-":
		return readTask(c.In)
	case len(words) > 0:
		return strings.Join(words, " "), nil
	case c.InTTY && c.ErrTTY:
		return editTask(ctx, c, setting)
	}
	return "", cli.HintedUsage(`agentflow run "Fix the flaky login test", or - to read it from standard input`, "there is no task")
}

// readFile reads a task, or several, from a file; - is standard input.
func readFile(c *cli.Env, name string) (string, error) {
	if name == "-" {
		return readTask(c.In)
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
		return "", cli.Usagef("the task is larger than %s", plural.Bytes(maxTask))
	}
	return strings.TrimRight(string(data), "\n"), nil
}

// taskHelp returns the text below the task in the editor.
func taskHelp(s apprun.TaskSetting) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, "# "+format+"\n", args...) }
	b.WriteString("\n\n")
	line("Write above what the agent is to do, and how it can check that it is done.")
	line("Lines that begin with # are left out, also headings; an empty task runs nothing.")
	b.WriteString("#\n")
	where := s.Folder
	if s.Branch != "" {
		where += " on branch " + s.Branch
	}
	line("%s works in %s", cli.CleanLine(s.Agent), cli.CleanLine(where))
	if len(s.Settings) > 0 {
		line("with the settings of %s", cli.CleanLine(strings.Join(s.Settings, ", ")))
	}
	for i, run := range s.Earlier {
		if i == 0 {
			b.WriteString("#\n# The last tasks here:\n")
		}
		line("  %s  %s", run.ID, cli.CleanLine(run.Title))
	}
	return b.String()
}

// editTask opens the user's editor on a file with instructions.
func editTask(ctx context.Context, c *cli.Env, setting apprun.TaskSetting) (string, error) {
	dir, err := os.MkdirTemp("", "agentflow-task-")
	if err != nil {
		return "", fmt.Errorf("making a file for the task: %w", err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "TASK.md")
	if err := os.WriteFile(path, []byte(taskHelp(setting)), 0o600); err != nil {
		return "", fmt.Errorf("making a file for the task: %w", err)
	}
	if err := cli.EditFile(ctx, path); err != nil {
		return "", fmt.Errorf("editing the task: %w", err)
	}
	text, err := readFile(c, path)
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	return tasklist.Uncommented(text), err
}

// runTaskCommand runs the command that a task asks for.
func runTaskCommand(ctx context.Context, c *cli.Env, o runOptions, name, rest string) error {
	if name == "remember" && (o.dryRun || o.NoRecord) {
		return cli.Usagef("/remember writes to memory: --dry-run and --no-record do not go with it")
	}
	args, ok := tasklist.Args(name, rest)
	if !ok {
		return cli.Usagef("/%s: a quotation mark is not closed", name)
	}
	if name == "forget" && o.dryRun {
		args = append([]string{"--dry-run"}, args...)
	}
	root := c.Commands(c)
	root.SetArgs(append([]string{name}, args...))
	return root.ExecuteContext(ctx)
}

// tasks reads the tasks of --parallel.
func tasks(c *cli.Env, o runOptions, words []string) ([]string, error) {
	file := o.file
	switch {
	case file == "" && len(words) == 1 && words[0] == "-":
		file = "-"
	case file != "" && len(words) == 0:
	default:
		return nil, cli.HintedUsage("agentflow run --parallel 4 -f tasks.txt, or - for standard input", "the tasks of --parallel come from a file")
	}
	text, err := readFile(c, file)
	if err != nil {
		return nil, err
	}
	list := tasklist.Split(text)
	if len(list) == 0 {
		return nil, cli.HintedUsage("write one a line, or longer ones between lines of ---", "%s holds no task", file)
	}
	for n, task := range list {
		if name, _, ok := tasklist.Command(task); ok { // a command of agentflow cannot run together with other tasks
			return nil, cli.HintedUsage("give it to a separate run, or use 'agentflow "+name+"'", "%s asks for /%s, which needs no agent", nth(n, len(list)), name)
		}
	}
	return list, nil
}

func nth(n, all int) string { return fmt.Sprintf("task %d of %d", n+1, all) }
