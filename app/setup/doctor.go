package setup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/builtin"
	"agentflow/app/commit"
	"agentflow/app/connect"
	"agentflow/app/daemon"
	"agentflow/app/embedding"
	"agentflow/app/indexes"
	"agentflow/app/recall"
	"agentflow/app/run"
	"agentflow/embed"
	"agentflow/index"
	"agentflow/internal/config"
	"agentflow/internal/embedder"
	"agentflow/internal/lists"
	"agentflow/internal/plural"
	"agentflow/internal/team/client"
)

// DoctorResult lists every check. A check may depend on earlier ones.
type DoctorResult struct {
	Checks   []api.Check
	Degraded []string
}

// Doctor checks everything that a run needs, and adds a hint to each problem. A failed check is not
// an error.
func Doctor(ctx context.Context, m *app.Memory) (result DoctorResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&result.Degraded, &err)
	result.Checks = examine(ctx, o)
	return result, nil
}

// examine runs every check. A failed check does not stop the others.
func examine(ctx context.Context, o *app.Operation) []api.Check {
	place, dirs, err := o.Place()
	checks := []api.Check{checkPlace(place, err)}
	settings, problems, cfgErr := config.Load(o.Layers(place, dirs))
	checks = append(checks, checkSettings(problems, cfgErr))
	checks = append(checks, checkAgent(ctx, o, settings)...)
	checks = append(checks, checkOthers(ctx, o, settings)...)
	checks = append(checks, connect.CheckConnections(o)...)
	checks = append(checks, checkGit(ctx, o), checkEmbedder(ctx, o, settings.Embed))
	if settings.Team.URL != "" {
		checks = append(checks, checkTeam(ctx, o, settings.Team))
	}
	if err != nil || cfgErr != nil {
		return checks
	}
	if source, off := settings.MemoryOff(); off {
		e := app.SwitchedOff(o, source, place)
		return append(checks, api.Warned("memory", e.Error(), e.Hint))
	}
	s, err := o.Assemble(ctx, place, dirs, settings)
	if err != nil {
		return append(checks, connect.Failed("memory", err.Error(), ""))
	}
	return append(checks, checkMemory(ctx, s)...)
}

func checkPlace(place config.Place, err error) api.Check {
	switch {
	case err != nil:
		return connect.Failed("place", err.Error(), "go to a git repository, or run 'agentflow init'")
	case place.CommonDir == "":
		return api.Warned("place", place.Worktree+" is not in a git repository: changes cannot be read", "run 'git init' if it should be one")
	case place.Linked != "":
		return api.Passed("place", fmt.Sprintf("%s, linked work tree %s; memory in %s", place.Worktree, place.Linked, place.Root))
	}
	return api.Passed("place", place.Worktree+", memory in "+place.Root)
}

func checkSettings(problems []config.Problem, err error) api.Check {
	if len(problems) == 0 {
		return api.Passed("settings", "no problems")
	}
	c := api.Warned("settings", strings.Join(lists.Mapped(problems, config.Problem.String), "; "), "'agentflow config check' lists them a line each")
	if err != nil {
		c.Grade = api.GradeFail
	}
	return c
}

const askVersion = 10 * time.Second

func checkAgent(ctx context.Context, o *app.Operation, settings *config.Config) []api.Check {
	name := settings.Agent
	if named, ok := settings.Agents[name]; ok {
		path, err := exec.LookPath(named.Argv[0])
		if err != nil {
			return []api.Check{connect.Failed("agent", name+": "+err.Error(), run.StartHint(settings, name))}
		}
		return []api.Check{api.Passed("agent", name+": "+path)}
	}
	b, known := builtin.Named(settings, name)
	switch {
	case name == "command":
		return []api.Check{api.Passed("agent", "command: each run names its program after --")}
	case !known:
		return []api.Check{connect.Failed("agent", "agent.default names "+name+", which the settings do not have", "add [agent."+name+"] argv = […] to your settings")}
	}
	version, login := checkBuiltIn(ctx, o, b)
	switch {
	case login.Name == "":
		return []api.Check{version}
	case name == "claude":
		return []api.Check{version, login, checkPermissions(settings.Claude)}
	}
	return []api.Check{version, login}
}

func checkPermissions(c config.Claude) api.Check {
	out := api.Passed("permissions", "of agentflow run: --permission-mode "+c.PermissionMode)
	if len(c.AllowedTools) > 0 {
		out.Detail += ", allowed tools " + strings.Join(c.AllowedTools, " ")
	}
	switch c.PermissionMode {
	case "default", "plan", "dontAsk":
		out.Grade, out.Hint = api.GradeWarn, "an unattended run cannot write files in this mode; acceptEdits lets it"
	case "bypassPermissions":
		out.Grade, out.Hint = api.GradeWarn, "the agent may do anything without being asked; use it in sandboxes only"
	case "acceptEdits":
		if len(c.AllowedTools) == 0 {
			out.Hint = "shell commands are denied; to let it commit: " +
				config.SetCommand("agent.claude.allowed_tools", []string{"Bash(git add *)", "Bash(git commit *)"})
		}
	}
	return out
}

func checkGit(ctx context.Context, o *app.Operation) api.Check {
	path, err := exec.LookPath("git")
	if err != nil {
		return api.Warned("git", "no git program on PATH", "repositories are read without it; some unusual ones need it")
	}
	out, err := connect.OutputOf(ctx, askVersion, o.Environ, path, "version")
	if err != nil {
		return api.Warned("git", path+" version: "+err.Error(), "")
	}
	return api.Passed("git", path+", "+strings.TrimSpace(string(out)))
}

func checkMemory(ctx context.Context, s *app.Repo) []api.Check {
	checks := []api.Check{
		checkWritable("memory", s.Root, "without it runs are kept in the log only"),
		checkWritable("log", s.State(), "the log is then kept in your own state folder"),
	}
	if !s.HasMemory() {
		return append(checks, api.Passed("entries", "nothing has been remembered yet"))
	}
	checks = append(checks, recall.CheckPrompts(s, time.Now())...)
	o := status(ctx, s).Status
	add := func(wrong bool, c api.Check) {
		if wrong {
			checks = append(checks, c)
		}
	}
	damaged := filesWithNULs(ctx, s)
	add(len(damaged) > 0, api.Warned("damaged", strings.Join(damaged, ", ")+": NUL bytes, which a power cut leaves", "search reads the rest of the file; check whether the end of its last entry is missing, and take the NULs out"))
	index := api.Passed("index", fmt.Sprintf("%s: %s, %s", o.Index.State, plural.Count(o.Index.Entries, "entry"), plural.Bytes(o.Index.Bytes)))
	if o.Index.State == indexUnusable {
		index.Grade = api.GradeFail
	}
	add(true, index)
	if c := o.Contents; c != nil {
		add(true, api.Passed("contents", ContentsInWords(*c)))
	}
	hooks, works := commit.HooksInWords(o.Hooks)
	add(len(o.Hooks) > 0 && works, api.Passed("git hooks", hooks))
	add(len(o.Hooks) > 0 && !works, api.Warned("git hooks", hooks, commit.HookRemedy(o.Hooks)))
	add(o.Lock != "", api.Warned("lock", "held by "+o.Lock, "it is given back when that process ends"))
	add(o.Pending > 0, api.Warned("pending", plural.Count(o.Pending, "record")+" not yet in Markdown", "any command that writes finishes them"))
	add(len(o.Vanished) > 0, api.Warned("vanished", plural.Count(len(o.Vanished), "entry")+" vanished without forget",
		"'agentflow status' names them, 'agentflow memory restore' brings them back"))
	if b := o.FromRepository; b != nil {
		add(true, api.Warned("brought", b.Why, b.Hint))
	}
	trees := api.Passed("worktrees", plural.Count(len(o.Trees), "work tree")+" of runs that are over")
	trees.Hint = "'agentflow worktree list' lists them; 'agentflow worktree rm --merged' removes those that are merged"
	add(len(o.Trees) > 0, trees)
	checks = append(checks, daemon.CheckSchedules(o.Schedules)...)
	if n := len(o.Failures); n > 0 {
		last := o.Failures[n-1]
		add(true, api.Warned("failures", fmt.Sprintf("last: %s, %s: %s", last.Time.Local().Format("2006-01-02 15:04"), last.Command, last.What), "'agentflow status' lists them"))
	}
	for _, line := range o.Degraded {
		add(true, api.Warned("degraded", line, ""))
	}
	return checks
}

// filesWithNULs returns the names of the memory files that contain NUL bytes.
func filesWithNULs(ctx context.Context, s *app.Repo) (names []string) {
	files, _ := index.List(ctx, indexes.Sources(ctx, s)...).Wait() // other checks report files that cannot be read
	for _, f := range files.List {
		text, err := f.Read()
		if err == nil && !f.Included && f.Author == "" && bytes.IndexByte(text, 0) >= 0 {
			names = append(names, app.CleanLine(f.Name))
		}
	}
	return names
}

func checkWritable(name, folder, hint string) api.Check {
	if err := daemon.Probe(folder); err != nil {
		return connect.Failed(name, err.Error(), hint)
	}
	return api.Passed(name, folder+" can be written")
}

// probeWait limits the doctor's wait for an embedder. A run waits as long for all of recall.
const probeWait = 3 * time.Second

// checkTeam checks whether the team's server answers. A problem is only a warning, because
// everything works without the server.
func checkTeam(ctx context.Context, o *app.Operation, settings config.Team) api.Check {
	const name = "team"
	token := o.Getenv(settings.TokenEnv)
	if token == "" {
		return api.Warned(name, fmt.Sprintf("%s is not asked: the variable %s is not set", settings.URL, settings.TokenEnv), "it holds your token, which 'agentflow serve token add', on the server, prints")
	}
	ctx, cancel := context.WithTimeoutCause(ctx, probeWait, fmt.Errorf("no answer within %v", probeWait))
	defer cancel()
	list, err := client.Client{URL: settings.URL, Token: token}.Repositories(ctx)
	if err != nil {
		return api.Warned(name, fmt.Sprintf("%s: %v", settings.URL, err), "see url and token_env in [team]; without the server memory has what this clone knows")
	}
	return api.Passed(name, fmt.Sprintf("%s answers for %s: %s", settings.URL, plural.Count(len(list), "repository"), app.CleanLine(strings.Join(list, ", "))))
}

// checkEmbedder checks whether search by meaning works. A problem is only a warning, because
// everything works without it.
func checkEmbedder(ctx context.Context, o *app.Operation, settings config.Embed) api.Check {
	const name = "embedder"
	e, err := embedding.Of(o, settings)
	switch {
	case err != nil:
		return api.Warned(name, err.Error()+"; searching goes by keywords", "correct [embed] in your settings")
	case e == nil:
		return api.Passed(name, "none: searching goes by keywords")
	case settings.Provider == "claude": // a request would cost money
		path, err := exec.LookPath("claude")
		if err != nil {
			return api.Warned(name, "claude: "+err.Error(), run.StartHint(&config.Config{}, "claude"))
		}
		c := api.Passed(name, "claude: "+path+", not asked, because an answer costs money")
		c.Hint = `slow and coarse: only 'search', 'index' and 'watch' ask it; provider = "local" is free`
		return c
	case !embedder.CallsProvider(e):
		return api.Passed(name, fmt.Sprintf("%s, %d dimensions, in this process", settings.Provider, e.Info().Dimensions))
	}
	dimensions, err := probeEmbedder(ctx, e)
	if err == nil {
		return api.Passed(name, fmt.Sprintf("%s answers, %d dimensions", settings.Provider, dimensions))
	}
	hint := `see base_url, model and api_key_env in [embed]; provider = "local" needs no network`
	if settings.Provider == "ollama" {
		hint = "start it with 'ollama serve', fetch the model with 'ollama pull', and see base_url and model in [embed]"
	}
	return api.Warned(name, err.Error()+"; searching goes by keywords", hint)
}

func probeEmbedder(ctx context.Context, e embed.Embedder) (dimensions int, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, probeWait, fmt.Errorf("no answer within %v", probeWait))
	defer cancel()
	vectors, err := e.Embed(ctx, embed.Query, []string{"agentflow"})
	if err != nil {
		return 0, err
	}
	if len(vectors) != 1 || len(vectors[0]) == 0 {
		return 0, errors.New("the answer holds no vector")
	}
	return len(vectors[0]), nil
}
