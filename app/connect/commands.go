package connect

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/app"
	"agentflow/app/kept"
	"agentflow/internal/connect"
)

// HasCommand reports whether a file of the user or of connect defines a command with this name,
// such as /recall, for Claude's sessions.
func HasCommand(m *app.Memory, name string) bool {
	c, err := newConnector(m.Silent())
	return err == nil && slices.ContainsFunc(c.home.Commands(true), func(command connect.Command) bool {
		_, err := os.Stat(command.Path)
		return err == nil && command.Name == name
	})
}

// putCommands plans the files of the commands that a person types in Claude's sessions. It keeps a
// file of the user with the same name.
func (c *connector) putCommands(p *agentPlan) {
	for _, command := range c.home.Commands(p.way == "plugin") {
		now, err := kept.ReadSettingsText(command.Path)
		switch {
		case err == nil && now.Is && string(now.Text) == command.Text:
		case err == nil && (!now.Is || p.kept.File(command.Path).Untouched(now.Text)):
			text := []byte(command.Text)
			p.edits = append(p.edits, kept.ConnectEdit{Agent: p.agent, About: "the command " + command.Name, Before: now, After: kept.SettingsText{Path: command.Path, Text: text, Is: true},
				Keep: &kept.KeptFile{Path: command.Path, After: kept.HashOf(text)}})
		default:
			p.notes = append(p.notes, fmt.Sprintf("%s is a command of yours in %s, and stays yours", command.Name, command.Path))
		}
	}
}

// cutCommands plans to remove the files that putCommands wrote, except files that were changed
// since.
func (c *connector) cutCommands(p *agentPlan) {
	for _, path := range c.commandFiles(p.kept) {
		now, err := kept.ReadSettingsText(path)
		switch old := p.kept.File(path); {
		case err != nil || !now.Is || old == nil:
		case old.Untouched(now.Text):
			p.edits = append(p.edits, kept.ConnectEdit{Agent: p.agent, About: "the command /" + strings.TrimSuffix(filepath.Base(path), ".md"), Before: now, After: kept.SettingsText{Path: path}})
		default:
			p.notes = append(p.notes, fmt.Sprintf("%s was changed since connect wrote it, and stays", path))
		}
	}
}

// commandFiles returns the files of commands that connect wrote in the current folder of Claude's
// settings. If these settings hold nothing of ours, it returns those in every folder.
func (c *connector) commandFiles(k *kept.Kept) (paths []string) {
	here := filepath.Dir(c.home.Commands(true)[0].Path)
	everywhere := c.wayOf("claude") == ""
	for _, f := range k.Files {
		if isCommandFile(f.Path) && (everywhere || filepath.Dir(f.Path) == here) {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

func isCommandFile(path string) bool { return filepath.Base(filepath.Dir(path)) == "commands" }

// allowed reports whether Claude's settings have a rule that allows a reading tool.
func (c *connector) allowed(way string) bool { return holdsOurs(c.home.Allowed(way == "plugin")) }

// withAllowed adds the rules that allow the reading tools to Claude's settings file, if they are
// wanted.
func (c *connector) withAllowed(f connect.File, way string, wanted bool) connect.File {
	if wanted && filepath.Base(f.Path) == filepath.Base(c.home.ClaudeSettings()) {
		f.Items = append(slices.Clone(f.Items), c.home.Allowed(way == "plugin").Items...)
	}
	return f
}
