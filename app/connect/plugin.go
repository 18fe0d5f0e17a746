package connect

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/app/agentfiles"
	"agentflow/app/kept"
	"agentflow/internal/atomicfile"
	"agentflow/internal/connect"
	"agentflow/internal/safefile"
)

// pluginPlan is the planned change of Claude's plugin.
type pluginPlan struct {
	dir     string             // the marketplace folder
	files   []kept.ConnectEdit // its files that are written or removed
	claude  string
	install bool // run the commands that install it
	remove  bool // run the commands that remove it
	shared  bool // settings in another folder use the plugin, so its files stay
}

// pluginTime limits the time of one command of Claude.
const pluginTime = 2 * time.Minute

func (c *connector) pluginDir() string { return filepath.Join(c.dirs.Data, "connect", "claude") }

// commands returns the arguments of the Claude commands to run.
func (p pluginPlan) commands() [][]string {
	switch {
	case p.install:
		return [][]string{{"plugin", "marketplace", "add", p.dir}, {"plugin", "install", connect.PluginID}}
	case p.remove:
		return [][]string{{"plugin", "uninstall", connect.PluginID}, {"plugin", "marketplace", "remove", connect.MarketplaceName}}
	}
	return nil
}

func (p pluginPlan) shown() (list []string) {
	for _, args := range p.commands() {
		list = append(list, strings.Join(append([]string{"claude"}, args...), " "))
	}
	switch {
	case p.remove && p.shared:
		list = append(list, fmt.Sprintf("keep %s, which other settings of Claude use", p.dir))
	case p.remove:
		list = append(list, "remove "+p.dir)
	}
	return list
}

// pluginFile describes the lines about the plugin in Claude's settings.
func (c *connector) pluginFile() connect.File { return c.home.PluginFile(c.pluginDir()) }

// pluginState reports whether Claude's settings have some lines of our plugin, and whether they
// have all of them with our folder.
func (c *connector) pluginState() (some, all bool) {
	f := c.pluginFile()
	now, err := kept.ReadSettingsText(f.Path)
	return holdsOurs(f), err == nil && now.Is && f.Has(now.Text)
}

// pluginElsewhere reports whether Claude's settings in another folder, for another
// CLAUDE_CONFIG_DIR, use the plugin. It returns true if such settings cannot be read.
func (c *connector) pluginElsewhere(k *kept.Kept) bool {
	f := c.pluginFile()
	here := f.Path
	return slices.ContainsFunc(k.Files, func(old kept.KeptFile) bool {
		f.Path = old.Path
		_, err := kept.ReadSettingsText(old.Path)
		return old.Path != here && (err != nil || holdsOurs(f))
	})
}

func (c *connector) planPlugin(p *agentPlan, allow bool) error {
	_, complete := c.pluginState()
	plan := &pluginPlan{dir: c.pluginDir(), files: c.pluginEdits(c.home.Plugin()), claude: c.installed("claude"), install: !complete}
	if p.file(c.withAllowed(c.pluginFile(), "plugin", allow), true); len(p.left) > 0 {
		return nil
	}
	switch {
	case c.dirs.Data == "":
		return errors.New("connecting claude: there is no folder for the plugin: HOME is not set")
	case plan.install && plan.claude == "":
		return &app.Error{Kind: app.KindUnavailable, Err: errors.New("connecting claude: its program was not found, and only that installs a plugin"),
			Hint: "put claude on PATH, or use --hooks, which writes into Claude's settings"}
	}
	if plan.install || len(plan.files) > 0 {
		p.plugin = plan
	}
	return nil
}

// pluginEdits plans the changes of the plugin's folder that leave these files in it, with texts by their paths.
func (c *connector) pluginEdits(texts map[string]string) (edits []kept.ConnectEdit) {
	for _, name := range slices.Sorted(maps.Keys(c.home.Plugin())) {
		text, is := texts[name]
		edits = append(edits, c.pluginEdit(name, kept.SettingsText{Text: []byte(text), Is: is}))
	}
	old, _ := os.ReadDir(filepath.Join(c.pluginDir(), filepath.FromSlash(oldCommands)))
	for _, f := range old {
		edits = append(edits, c.pluginEdit(oldCommands+"/"+f.Name(), kept.SettingsText{}))
	}
	return slices.DeleteFunc(edits, func(e kept.ConnectEdit) bool { return !e.Changes() })
}

// pluginEdit plans the change of one file of the plugin. It replaces a link, and a file that cannot be read.
func (c *connector) pluginEdit(name string, after kept.SettingsText) kept.ConnectEdit {
	after.Path = filepath.Join(c.pluginDir(), filepath.FromSlash(name))
	now, err := safefile.Read(after.Path, safefile.NoLink, agentfiles.MaxSize)
	return kept.ConnectEdit{Agent: "claude", About: "the plugin", Before: kept.SettingsText{Path: after.Path, Text: now, Is: err == nil}, After: after}
}

func (c *connector) planPluginOut(p *agentPlan) error {
	p.plugin = &pluginPlan{dir: c.pluginDir(), claude: c.installed("claude"), remove: true, shared: c.pluginElsewhere(p.kept)}
	if !p.plugin.shared {
		p.plugin.files = c.pluginEdits(nil)
	}
	p.file(c.withAllowed(c.pluginFile(), "plugin", true), false)
	if p.plugin.claude == "" {
		return &app.Error{Kind: app.KindUnavailable, Err: errors.New("disconnecting claude: its program was not found, and only that removes a plugin"), Hint: "put claude on PATH, or name the other agents, as in 'agentflow disconnect codex'"}
	}
	return nil
}

// applyPlugin runs Claude's commands to install or remove the plugin. Claude rewrites its settings
// then and drops some of them, so applyPlugin writes the planned text afterwards.
func (c *connector) applyPlugin(ctx context.Context, p agentPlan) error {
	if !p.plugin.remove && len(p.plugin.files) > 0 {
		if err := writePlugin(p.plugin.dir, p.plugin.files); err != nil {
			return err
		}
	}
	for _, e := range p.edits {
		if now, err := kept.ReadSettingsText(e.Before.Path); err != nil || now.Is != e.Before.Is || string(now.Text) != string(e.Before.Text) {
			return kept.ChangedMeanwhile(e.Before.Path)
		}
	}
	for _, args := range p.plugin.commands() {
		if err := c.runClaude(ctx, p.plugin.claude, args); err != nil {
			return err
		}
	}
	for _, e := range p.edits {
		now, err := kept.ReadSettingsText(e.Before.Path)
		if err != nil {
			return err
		}
		if e.Before = (kept.SettingsText{Path: e.Before.Path, Text: now.Text, Is: now.Is}); !e.Changes() {
			continue
		}
		if err := e.Apply(); err != nil {
			return err
		}
	}
	if p.plugin.remove && !p.plugin.shared {
		if err := os.RemoveAll(p.plugin.dir); err != nil {
			return err
		}
		kept.RemoveEmptyFolders(filepath.Dir(p.plugin.dir), c.dirs.Data)
	}
	return nil
}

// oldCommands names the plugin's former folder of commands, before they got short names.
const oldCommands = connect.PluginName + "/commands"

func writePlugin(dir string, files []kept.ConnectEdit) error {
	if err := os.RemoveAll(filepath.Join(dir, filepath.FromSlash(oldCommands))); err != nil {
		return err
	}
	for _, f := range files {
		if !f.After.Is {
			continue // it was among the old commands
		}
		if err := os.MkdirAll(filepath.Dir(f.After.Path), 0o700); err != nil {
			return err
		}
		if err := atomicfile.WriteHere(f.After.Path, f.After.Text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

func (c *connector) runClaude(ctx context.Context, claude string, args []string) error {
	out, err := OutputOf(ctx, pluginTime, c.Operation.Environ, claude, args...)
	if err == nil {
		return nil
	}
	said := strings.TrimSpace(string(out))
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		said = strings.TrimSpace(said + "\n" + strings.TrimSpace(string(exit.Stderr)))
	}
	return &app.Error{Kind: app.KindUnavailable, Err: fmt.Errorf("claude %s: %w: %s", strings.Join(args, " "), err, app.CleanLine(said)), Hint: "run it yourself to see more, or use --hooks"}
}
