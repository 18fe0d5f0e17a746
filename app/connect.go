package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"agentflow/api"
	"agentflow/config"
	"agentflow/connect"
	"agentflow/internal/redact"
	"agentflow/memory"
)

// ConnectRequest says which agents are to remember their own sessions, and how.
type ConnectRequest struct {
	Agents []string // claude, codex, gemini, opencode; none: all that are installed or, of PlanDisconnect, connected
	Hooks  bool     // Claude by lines in its settings, and not by a plugin
}

// ConnectPlan is what ApplyConnect would do.
type ConnectPlan struct {
	Change   api.ConnectChange
	Degraded []string

	agents []agentPlan
}

// Empty says that there is nothing to do.
func (p ConnectPlan) Empty() bool {
	return len(p.Change.Files)-len(p.Left())+len(p.Change.Commands) == 0
}

// Left are the files that cannot be changed.
func (p ConnectPlan) Left() []api.ConnectFile {
	return slices.DeleteFunc(slices.Clone(p.Change.Files), func(f api.ConnectFile) bool { return f.Action != "leave" })
}

// agentPlan is what is to be done for one agent.
type agentPlan struct {
	agent  string
	way    string // that it is connected by then; empty: it is not
	kept   *kept
	edits  []connectEdit
	left   []api.ConnectFile
	notes  []string
	plugin *pluginPlan // nil: nothing is to be done about it
}

// connector knows where the agents' settings are.
type connector struct {
	*operation
	dirs   config.Dirs
	home   connect.Home
	redact *redact.Redactor
}

func (o *operation) connector() (*connector, error) {
	dirs, err := o.dirs()
	if err != nil {
		return nil, err
	}
	if dirs.Home == "" {
		return nil, errors.New("finding the agents' settings: HOME is not set")
	}
	red, err := o.redactor(config.Defaults())
	if err != nil {
		return nil, err
	}
	return &connector{operation: o, dirs: dirs, redact: red, home: connect.Home{
		Getenv: o.getenv, Dir: dirs.Home, Program: o.lastingProgram(), Global: ownMemoryFile(dirs),
		Exists: func(path string) bool { _, err := os.Stat(path); return err == nil },
	}}, nil
}

// ownMemoryFile is the user's own MEMORY.md; empty where there is none.
func ownMemoryFile(dirs config.Dirs) string {
	path := filepath.Join(dirs.Data, "memory", memory.LastingFile)
	if _, err := os.Stat(path); err != nil || dirs.Data == "" {
		return ""
	}
	return path
}

// lastingProgram is this program by the name on PATH that leads to it, which an
// update keeps; else by where it lies.
func (o *operation) lastingProgram() string {
	for _, dir := range filepath.SplitList(o.getenv("PATH")) {
		path := filepath.Join(dir, filepath.Base(o.program))
		if filepath.IsAbs(path) && sameProgram(path, o.program) {
			return path
		}
	}
	return o.program
}

func sameProgram(a, b string) bool {
	one, err := os.Stat(a)
	two, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(one, two)
}

// installed is the program of an agent, on PATH or where installers put it; empty
// where it is not found.
func (c *connector) installed(agent string) string {
	dirs := filepath.SplitList(c.getenv("PATH"))
	for _, usual := range []string{".local/bin", ".claude/local", ".opencode/bin", ".bun/bin", ".npm-global/bin", ".volta/bin"} {
		dirs = append(dirs, filepath.Join(c.dirs.Home, filepath.FromSlash(usual)))
	}
	if runtime.GOOS != "windows" {
		dirs = append(dirs, "/usr/local/bin", "/opt/homebrew/bin")
	}
	for _, dir := range dirs {
		if !filepath.IsAbs(dir) {
			continue
		}
		if path, err := exec.LookPath(filepath.Join(dir, agent)); err == nil {
			return path
		}
	}
	return ""
}

// chosen are the agents that were asked for, in a fixed order.
func (c *connector) chosen(names []string, otherwise func(agent string) bool) ([]string, error) {
	for _, name := range names {
		if !slices.Contains(connect.Agents, name) {
			return nil, &Error{Kind: KindUsage, Err: fmt.Errorf("there is no agent %q to connect", name), Hint: "the agents are " + strings.Join(connect.Agents, ", ")}
		}
	}
	return slices.DeleteFunc(slices.Clone(connect.Agents), func(agent string) bool {
		if len(names) > 0 {
			return !slices.Contains(names, agent)
		}
		return !otherwise(agent)
	}), nil
}

// PlanConnect says what is to be written so that agents remember their sessions.
// It writes nothing. Errors are of KindUsage, KindNotFound (no agent is installed),
// KindUnavailable (Claude is not installed, and so takes no plugin) and KindRefused
// (it is connected in another way).
func (m *Memory) PlanConnect(ctx context.Context, req ConnectRequest) (plan ConnectPlan, err error) {
	o := m.begin(ctx)
	defer o.end(&plan.Degraded, &err)
	c, err := o.connector()
	if err != nil {
		return plan, err
	}
	agents, err := c.chosen(req.Agents, func(agent string) bool { return c.installed(agent) != "" })
	if err != nil {
		return plan, err
	}
	if len(agents) == 0 {
		return plan, &Error{Kind: KindNotFound, Err: errors.New("no agent is installed that could be connected"), Hint: "name one of " + strings.Join(connect.Agents, ", ")}
	}
	for _, agent := range agents {
		p, err := c.planConnect(agent, req.Hooks)
		if err != nil {
			return plan, err
		}
		plan.agents = append(plan.agents, p)
	}
	plan.describe(c.redact.Text)
	return plan, nil
}

func (c *connector) planConnect(agent string, hooks bool) (agentPlan, error) {
	k, err := readKept(c.dirs.State, agent)
	if err != nil {
		return agentPlan{}, err
	}
	p := agentPlan{agent: agent, kept: k, way: map[string]string{"claude": "hooks", "codex": "hooks"}[agent]}
	p.way = cmp.Or(p.way, "tools")
	if agent == "claude" && !hooks {
		p.way = "plugin"
	}
	if now := c.wayOf(agent, k); now != "" && now != p.way {
		return p, &Error{Kind: KindRefused, Err: fmt.Errorf("connecting %s: it is connected by %s already", agent, now), Hint: "run 'agentflow disconnect " + agent + "' first"}
	}
	p.notes = notesOn(p.way, agent, c.installed(agent) != "")
	if p.way == "plugin" {
		return p, c.planPlugin(&p)
	}
	for _, f := range c.home.Files(agent) {
		p.file(f, true)
	}
	if len(p.left) > 0 {
		p.edits = nil // all of an agent or nothing
	}
	return p, nil
}

// notesOn says what a user has to know or do.
func notesOn(way, agent string, installed bool) (notes []string) {
	if !installed {
		notes = append(notes, agent+" was not found on PATH; its settings are written all the same")
	}
	switch {
	case agent == "codex":
		notes = append(notes, "Codex passes over hooks in silence until you trust them: start codex and accept them, or look at them with /hooks")
	case way == "tools":
		notes = append(notes, agent+" gets the tools of memory; it has no hooks that AgentFlow reads, so its own sessions become no entries")
	}
	return notes
}

// file plans the change of one file: with what is ours, or without.
func (p *agentPlan) file(f connect.File, with bool) {
	leave := func(err error) {
		p.left = append(p.left, api.ConnectFile{Agent: p.agent, Path: f.Path, Action: "leave", Diff: []string{}, Why: err.Error()})
	}
	now, err := readSettingsText(f.Path)
	if err != nil {
		leave(err)
		return
	}
	if with && now.is && f.Has(now.text) {
		return
	}
	base, err := p.base(f, now)
	if err != nil {
		leave(err)
		return
	}
	edit := connectEdit{agent: p.agent, before: now, after: base}
	if with {
		text, err := f.Add(base.text)
		if err != nil {
			leave(err)
			return
		}
		edit.after = settingsText{f.Path, text, true}
		edit.keep = &keptFile{Path: f.Path, Existed: base.is, Before: base.text, After: hashOf(text)}
	}
	if !edit.changes() {
		return
	}
	if err := edit.writable(); err != nil {
		leave(err)
		return
	}
	p.edits = append(p.edits, edit)
}

// base is a file without what is ours: its bytes of before where nobody changed it
// since, else the file with our lines taken out.
func (p *agentPlan) base(f connect.File, now settingsText) (settingsText, error) {
	old := p.kept.file(f.Path)
	if now.is && old.untouched(now.text) {
		return settingsText{f.Path, old.Before, old.Existed}, nil
	}
	if !now.is {
		return now, nil
	}
	var before []byte
	if old != nil {
		before = old.Before
	}
	text, err := f.Cut(now.text, before)
	return settingsText{f.Path, text, true}, err
}

// describe lists what the agents' plans do.
// Other settings on a line that changes may hold secrets: redact takes them out.
func (p *ConnectPlan) describe(redact func(string) string) {
	p.Change = api.ConnectChange{Files: []api.ConnectFile{}, Commands: []string{}, Notes: []string{}}
	for _, a := range p.agents {
		for _, e := range a.edits {
			action := "change"
			switch {
			case !e.before.is:
				action = "create"
			case !e.after.is:
				action = "remove"
			}
			p.Change.Files = append(p.Change.Files, api.ConnectFile{Agent: a.agent, Path: e.before.path, Action: action, Diff: mapped(connect.Diff(e.before.text, e.after.text), redact)})
		}
		p.Change.Files = append(p.Change.Files, a.left...)
		if a.plugin != nil {
			p.Change.Commands = append(p.Change.Commands, a.plugin.shown()...)
		}
		p.Change.Notes = append(p.Change.Notes, a.notes...)
	}
}

// ConnectResult is what was done.
type ConnectResult struct {
	Change   api.ConnectChange
	Degraded []string
}

// ApplyConnect does what PlanConnect or PlanDisconnect planned. It is an error of
// KindRefused when a file changed since; what was done before stays, and both can
// be planned anew.
func (m *Memory) ApplyConnect(ctx context.Context, plan ConnectPlan) (result ConnectResult, err error) {
	o := m.begin(ctx)
	defer o.end(&result.Degraded, &err)
	result.Change = plan.Change
	c, err := o.connector()
	if err != nil {
		return result, err
	}
	for _, p := range plan.agents {
		if err := c.apply(ctx, p); err != nil {
			return result, fmt.Errorf("%s: %w", p.agent, err)
		}
	}
	result.Change.Applied = true
	return result, nil
}

func (c *connector) apply(ctx context.Context, p agentPlan) error {
	if p.way != "" { // what was there is kept before anything is changed
		p.kept.Way = p.way
		for _, e := range p.edits {
			if e.keep != nil {
				p.kept.put(*e.keep)
			}
		}
		if len(p.edits) > 0 || p.plugin != nil {
			if err := p.kept.save(); err != nil {
				return err
			}
		}
	}
	if err := c.makeEdits(ctx, p); err != nil || p.way != "" || len(p.left) > 0 {
		return err
	}
	if err := os.Remove(p.kept.path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

func (c *connector) makeEdits(ctx context.Context, p agentPlan) error {
	if p.plugin != nil {
		return c.applyPlugin(ctx, p)
	}
	for _, e := range p.edits {
		if err := e.apply(); err != nil {
			return err
		}
	}
	return nil
}

// PlanDisconnect says what is to be taken out again.
func (m *Memory) PlanDisconnect(ctx context.Context, req ConnectRequest) (plan ConnectPlan, err error) {
	o := m.begin(ctx)
	defer o.end(&plan.Degraded, &err)
	c, err := o.connector()
	if err != nil {
		return plan, err
	}
	agents, err := c.chosen(req.Agents, func(string) bool { return true })
	if err != nil {
		return plan, err
	}
	for _, agent := range agents {
		k, err := readKept(c.dirs.State, agent)
		if err != nil {
			o.warn("%v; our lines alone are taken out", err)
			k.Files = nil
		}
		p := agentPlan{agent: agent, kept: k}
		if c.wayOf(agent, k) == "plugin" {
			if err := c.planPluginOut(&p); err != nil {
				return plan, err
			}
		} else {
			for _, f := range c.files(agent, k) {
				p.file(f, false)
			}
		}
		plan.agents = append(plan.agents, p)
	}
	plan.describe(c.redact.Text)
	return plan, nil
}

// files are the files that an agent was connected by: where its settings are now,
// and where they were then.
func (c *connector) files(agent string, k *kept) []connect.File {
	files := c.home.Files(agent)
	for _, old := range k.Files {
		at := slices.IndexFunc(files, func(f connect.File) bool { return f.Path == old.Path })
		like := slices.IndexFunc(files, func(f connect.File) bool { return filepath.Base(f.Path) == filepath.Base(old.Path) })
		if at < 0 && like >= 0 {
			f := files[like]
			f.Path = old.Path
			files = append(files, f)
		}
	}
	return files
}

// wayOf is how an agent is connected now; empty: it is not.
func (c *connector) wayOf(agent string, k *kept) string {
	if some, _ := c.pluginState(); agent == "claude" && some {
		return "plugin"
	}
	for _, f := range c.files(agent, k) {
		now, err := readSettingsText(f.Path)
		if err != nil || !now.is {
			continue
		}
		if cut, err := f.Cut(now.text, nil); err == nil && string(cut) != string(now.text) {
			if agent == "claude" || agent == "codex" {
				return "hooks"
			}
			return "tools"
		}
	}
	return ""
}
