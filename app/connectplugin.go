package app

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

	"agentflow/connect"
	"agentflow/internal/atomicfile"
	"agentflow/internal/repofile"
)

// pluginPlan is the planned change of Claude's plugin.
type pluginPlan struct {
	dir     string        // the marketplace folder
	files   []connectEdit // its files that are written or removed
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
	now, err := readSettingsText(f.Path)
	return holdsOurs(f), err == nil && now.is && f.Has(now.text)
}

// pluginElsewhere reports whether Claude's settings in another folder, for another
// CLAUDE_CONFIG_DIR, use the plugin. It returns true if such settings cannot be read.
func (c *connector) pluginElsewhere(k *kept) bool {
	f := c.pluginFile()
	here := f.Path
	return slices.ContainsFunc(k.Files, func(old keptFile) bool {
		f.Path = old.Path
		_, err := readSettingsText(old.Path)
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
		return &Error{Kind: KindUnavailable, Err: errors.New("connecting claude: its program was not found, and only that installs a plugin"),
			Hint: "put claude on PATH, or use --hooks, which writes into Claude's settings"}
	}
	if plan.install || len(plan.files) > 0 {
		p.plugin = plan
	}
	return nil
}

// pluginEdits plans the changes of the plugin's folder that leave these files in it, with texts by their paths.
func (c *connector) pluginEdits(texts map[string]string) (edits []connectEdit) {
	for _, name := range slices.Sorted(maps.Keys(c.home.Plugin())) {
		text, is := texts[name]
		edits = append(edits, c.pluginEdit(name, settingsText{text: []byte(text), is: is}))
	}
	old, _ := os.ReadDir(filepath.Join(c.pluginDir(), filepath.FromSlash(oldCommands)))
	for _, f := range old {
		edits = append(edits, c.pluginEdit(oldCommands+"/"+f.Name(), settingsText{}))
	}
	return slices.DeleteFunc(edits, func(e connectEdit) bool { return !e.changes() })
}

// pluginEdit plans the change of one file of the plugin. It replaces a link, and a file that cannot be read.
func (c *connector) pluginEdit(name string, after settingsText) connectEdit {
	after.path = filepath.Join(c.pluginDir(), filepath.FromSlash(name))
	now, err := repofile.Read(after.path, repofile.NoLink, maxConnectFile)
	return connectEdit{agent: "claude", about: "the plugin", before: settingsText{after.path, now, err == nil}, after: after}
}

func (c *connector) planPluginOut(p *agentPlan) error {
	p.plugin = &pluginPlan{dir: c.pluginDir(), claude: c.installed("claude"), remove: true, shared: c.pluginElsewhere(p.kept)}
	if !p.plugin.shared {
		p.plugin.files = c.pluginEdits(nil)
	}
	p.file(c.withAllowed(c.pluginFile(), "plugin", true), false)
	if p.plugin.claude == "" {
		return &Error{Kind: KindUnavailable, Err: errors.New("disconnecting claude: its program was not found, and only that removes a plugin"), Hint: "put claude on PATH, or name the other agents, as in 'agentflow disconnect codex'"}
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
		if now, err := readSettingsText(e.before.path); err != nil || now.is != e.before.is || string(now.text) != string(e.before.text) {
			return changedMeanwhile(e.before.path)
		}
	}
	for _, args := range p.plugin.commands() {
		if err := c.runClaude(ctx, p.plugin.claude, args); err != nil {
			return err
		}
	}
	for _, e := range p.edits {
		now, err := readSettingsText(e.before.path)
		if err != nil {
			return err
		}
		if e.before = (settingsText{e.before.path, now.text, now.is}); !e.changes() {
			continue
		}
		if err := e.apply(); err != nil {
			return err
		}
	}
	if p.plugin.remove && !p.plugin.shared {
		if err := os.RemoveAll(p.plugin.dir); err != nil {
			return err
		}
		removeEmptyFolders(filepath.Dir(p.plugin.dir), c.dirs.Data)
	}
	return nil
}

// oldCommands is the plugin's former folder of commands, from before they got short names.
const oldCommands = connect.PluginName + "/commands"

func writePlugin(dir string, files []connectEdit) error {
	if err := os.RemoveAll(filepath.Join(dir, filepath.FromSlash(oldCommands))); err != nil {
		return err
	}
	for _, f := range files {
		if !f.after.is {
			continue // it was among the old commands
		}
		if err := os.MkdirAll(filepath.Dir(f.after.path), 0o700); err != nil {
			return err
		}
		if err := atomicfile.WriteHere(f.after.path, f.after.text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

func (c *connector) runClaude(ctx context.Context, claude string, args []string) error {
	out, err := outputOf(ctx, pluginTime, c.environ, claude, args...)
	if err == nil {
		return nil
	}
	said := strings.TrimSpace(string(out))
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		said = strings.TrimSpace(said + "\n" + strings.TrimSpace(string(exit.Stderr)))
	}
	return &Error{Kind: KindUnavailable, Err: fmt.Errorf("claude %s: %w: %s", strings.Join(args, " "), err, cleanLine(said)), Hint: "run it yourself to see more, or use --hooks"}
}
