package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"agentflow/internal/plural"

	"agentflow/config"

	"github.com/spf13/cobra"
)

// grade is how a check came out.
type grade string

const (
	gradeOK   grade = "ok"
	gradeWarn grade = "warn"
	gradeFail grade = "fail"
)

// check is one line of the doctor's report.
type check struct {
	Name   string `json:"name"`
	Grade  grade  `json:"grade"`
	Detail string `json:"detail"`
	Hint   string `json:"hint,omitempty"`
}

func (a *operation) doctorCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the set-up: agent, login, permissions, git, embedder, settings, index, log",
		Long: `Doctor checks what a run needs and says what to do about what is wrong. It
exits with 1 when a check failed; warnings do not count.`,
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			checks := a.examine(cmd.Context())
			if asJSON {
				if err := a.json(checks); err != nil {
					return err
				}
			} else {
				a.printChecks(checks)
			}
			for _, c := range checks {
				if c.Grade == gradeFail {
					return codedError{code: exitError, err: errors.New("a check failed"), said: true}
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON list of name, grade, detail, hint")
	return cmd
}

func (a *operation) printChecks(checks []check) {
	colours := map[grade]string{gradeOK: "32", gradeWarn: "33", gradeFail: "31"}
	for _, c := range checks {
		a.printf("%s  %-11s %s\n", a.style(colours[c.Grade], fmt.Sprintf("%-4s", c.Grade)), c.Name, cleanLine(c.Detail))
		if c.Hint != "" {
			a.printf("      %-11s %s\n", "", a.dim("hint: "+cleanLine(c.Hint)))
		}
	}
}

// examine runs every check; one that cannot go on does not stop the others.
func (a *operation) examine(ctx context.Context) []check {
	place, dirs, err := a.here()
	checks := []check{checkPlace(place, err)}
	settings, problems, cfgErr := config.Load(a.layers(place, dirs))
	checks = append(checks, checkSettings(problems, cfgErr))
	checks = append(checks, a.checkAgent(ctx, settings)...)
	checks = append(checks, a.checkGit(ctx, place), a.checkEmbedder(ctx, settings.Embed))
	if err != nil || cfgErr != nil {
		return checks
	}
	s, err := a.open(ctx, place, dirs, settings)
	if err != nil {
		return append(checks, check{"memory", gradeFail, err.Error(), ""})
	}
	return append(checks, s.checkMemory(ctx)...)
}

func checkPlace(place config.Place, err error) check {
	switch {
	case err != nil:
		return check{"place", gradeFail, err.Error(), "go to a git repository, or run 'agentflow init'"}
	case place.CommonDir == "":
		return check{"place", gradeWarn, place.Worktree + " is not in a git repository: changes cannot be read", "run 'git init' if it should be one"}
	case place.Linked != "":
		return check{"place", gradeOK, fmt.Sprintf("%s, linked work tree %s; memory in %s", place.Worktree, place.Linked, place.Root), ""}
	}
	return check{"place", gradeOK, place.Worktree + ", memory in " + place.Root, ""}
}

func checkSettings(problems []config.Problem, err error) check {
	if len(problems) == 0 {
		return check{"settings", gradeOK, "no problems", ""}
	}
	lines := make([]string, len(problems))
	for i, p := range problems {
		lines[i] = p.String()
	}
	c := check{"settings", gradeWarn, strings.Join(lines, "; "), "'agentflow config check' lists them a line each"}
	if err != nil {
		c.Grade = gradeFail
	}
	return c
}

// checkAgent looks for the agent's program and asks for its version.
func (a *operation) checkAgent(ctx context.Context, settings *config.Config) []check {
	argv, hint := []string{"claude"}, startHint(settings, settings.Agent)
	if named, ok := settings.Agents[settings.Agent]; ok {
		argv = named.Argv
	} else if settings.Agent == "command" {
		return []check{{"agent", gradeOK, "command: the program stands after -- of each run", ""}}
	} else if settings.Agent != "claude" {
		return []check{{"agent", gradeFail, "agent.default names " + settings.Agent + ", which is not configured", "add [agent." + settings.Agent + "] argv = […] to your config"}}
	}
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return []check{{"agent", gradeFail, settings.Agent + ": " + err.Error(), hint}}
	}
	if settings.Agent != "claude" {
		return []check{{"agent", gradeOK, settings.Agent + ": " + path, ""}}
	}
	out, err := outputOf(ctx, askVersion, a.environ, path, "--version")
	if err != nil {
		return []check{{"agent", gradeFail, path + " --version: " + err.Error(), hint}}
	}
	return []check{{"agent", gradeOK, path + ", " + strings.TrimSpace(string(out)), ""}, a.checkLogin(ctx, path), checkPermissions(settings.Claude)}
}

// askVersion is how long a program may take to say its version.
const askVersion = 10 * time.Second

// startHint is what to do about an agent that cannot be started.
func startHint(settings *config.Config, agent string) string {
	if _, ok := settings.Agents[agent]; ok {
		return "correct [agent." + agent + "] argv in your config"
	}
	if agent == "command" {
		return "the program after -- must be on PATH, or named with its folder"
	}
	return "install it with 'npm install -g @anthropic-ai/claude-code', or put it on PATH"
}

// checkPermissions says what an unattended run may do.
func checkPermissions(c config.Claude) check {
	out := check{Name: "permissions", Grade: gradeOK, Detail: "--permission-mode " + c.PermissionMode}
	if len(c.AllowedTools) > 0 {
		out.Detail += ", allowed tools " + strings.Join(c.AllowedTools, " ")
	}
	switch c.PermissionMode {
	case "default", "plan", "dontAsk":
		out.Grade, out.Hint = gradeWarn, "an unattended run cannot write files in this mode; acceptEdits lets it"
	case "bypassPermissions":
		out.Grade, out.Hint = gradeWarn, "the agent may do anything without being asked; use it in sandboxes only"
	case "acceptEdits":
		if len(c.AllowedTools) == 0 {
			out.Hint = `shell commands are denied; [agent.claude] allowed_tools = ["Bash(git *)"] lets it commit`
		}
	}
	return out
}

func (a *operation) checkGit(ctx context.Context, place config.Place) check {
	path, err := exec.LookPath("git")
	if err != nil {
		return check{"git", gradeWarn, "no git program on PATH", "repositories are read without it; some unusual ones need it"}
	}
	out, err := outputOf(ctx, askVersion, a.environ, path, "version")
	if err != nil {
		return check{"git", gradeWarn, path + " version: " + err.Error(), ""}
	}
	return check{"git", gradeOK, path + ", " + strings.TrimSpace(string(out)), ""}
}

// checkMemory looks at everything this repository's memory stands on.
func (s *site) checkMemory(ctx context.Context) []check {
	var out []check
	for _, folder := range []struct{ name, path, hint string }{
		{"memory", s.Root, "without it runs are kept in the log only"},
		{"log", s.State(), "the log is then kept in your own state folder"},
	} {
		c := check{folder.name, gradeOK, folder.path + " can be written", ""}
		if err := probe(folder.path); err != nil {
			c = check{folder.name, gradeFail, err.Error(), folder.hint}
		}
		out = append(out, c)
	}
	if !s.HasMemory() {
		return append(out, check{"entries", gradeOK, "nothing has been remembered yet", ""})
	}
	o := s.status(ctx)
	out = append(out, check{"index", indexGrade(o.Index.State), fmt.Sprintf("%s: %s, %s", o.Index.State, plural.Count(o.Index.Entries, "entry"), size(o.Index.Bytes)), ""})
	if len(o.Hooks) > 0 {
		c := check{"hooks", gradeOK, "", ""}
		works := false
		if c.Detail, works = hooksInWords(o.Hooks); !works {
			c.Grade, c.Hint = gradeWarn, "'agentflow hook status' says what is to be done"
		}
		out = append(out, c)
	}
	if o.Lock != "" {
		out = append(out, check{"lock", gradeWarn, "held by " + o.Lock, "it is given back when that process ends"})
	}
	if o.Pending > 0 {
		out = append(out, check{"pending", gradeWarn, plural.Count(o.Pending, "record") + " not yet in Markdown", "any command that writes finishes them"})
	}
	if n := len(o.Vanished); n > 0 {
		out = append(out, check{"vanished", gradeWarn, plural.Count(n, "entry") + " vanished without forget", "'agentflow status' names them, 'agentflow memory restore' brings them back"})
	}
	if b := o.Brought; b != nil {
		out = append(out, check{"brought", gradeWarn, b.Why, b.Hint})
	}
	if n := len(o.Trees); n > 0 {
		out = append(out, check{"worktrees", gradeOK, plural.Count(n, "work tree") + " of runs that are over", "'agentflow status' lists them, with the commands that take them away"})
	}
	out = append(out, checkSchedules(o.Schedules)...)
	if n := len(o.Failures); n > 0 {
		last := o.Failures[n-1]
		out = append(out, check{"failures", gradeWarn, fmt.Sprintf("last: %s, %s: %s", last.Time.Local().Format("2006-01-02 15:04"), last.Verb, last.What), "'agentflow status' lists them"})
	}
	for _, line := range o.Degraded {
		out = append(out, check{"degraded", gradeWarn, line, ""})
	}
	return out
}

// probe says whether a folder, or the nearest one above it that exists, can
// be written.
func probe(dir string) error {
	for {
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			break
		}
		dir = filepath.Dir(dir)
	}
	f, err := os.CreateTemp(dir, ".agentflow-probe-*")
	if err != nil {
		return fmt.Errorf("writing to %s: %w", dir, err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

func indexGrade(state string) grade {
	if state == "unusable" {
		return gradeFail
	}
	return gradeOK
}
