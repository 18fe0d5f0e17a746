package setup

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"agentflow/app/api"
	"agentflow/app/settle"
	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/config"
	"agentflow/internal/proc"
)

// agentNames names agents as their makers write them.
var agentNames = map[string]string{"claude": "Claude Code", "codex": "Codex", "gemini": "the Gemini CLI", "opencode": "opencode"}

// explainConnect prints what connect will do.
func explainConnect(c *cli.Env, change api.ConnectChange, diff, asks bool) {
	if len(change.Files)+len(change.Commands) == 0 {
		return
	}
	c.Printf("AgentFlow will give a memory to your sessions with %s.\n\n", strings.Join(namesOf(change.Files), ", "))
	if remembers(change) {
		c.Row(8, "reads", "what you ask, what the agent answers, and what it changes in the repository")
		c.Row(8, "keeps", "that in .agentflow/ of each repository in which sessions are remembered: Markdown, which git ignores; secrets are removed first")
		c.Row(8, "sends", "nothing over the network; your agent gets what memory says about a prompt")
	}
	changedFiles(c, change, "writes", diff)
	commandsRun(c, change)
	if dirs, err := config.UserDirs(func(name string) string { return proc.Variable(c.Environ, name) }, runtime.GOOS); err == nil && remembers(change) {
		c.Row(8, "also", "%s (where sessions are remembered), %s (files as they were before), and .git/agentflow in each repository (its log, and open sessions)", c.FromHome(dirs.ConfigFile()), c.FromHome(dirs.State))
	}
	if asks {
		c.Row(8, "asks", "whether to connect, whether Claude may search memory unasked, where sessions are remembered, and whether to take in the history (the newest %d commits)", settle.BackfillLast)
	}
	c.Row(8, "leaving", "agentflow disconnect (your settings are then as they were before, and memory stays)")
	if !diff {
		c.Row(8, "details", "agentflow connect --dry-run --diff")
	}
	c.Printf("\n")
}

// explainDisconnect prints what disconnect will do.
func explainDisconnect(c *cli.Env, change api.ConnectChange, diff bool) {
	if len(change.Files)+len(change.Commands) == 0 {
		return
	}
	changedFiles(c, change, "restores", diff)
	commandsRun(c, change)
	c.Row(8, "keeps", "what was remembered, in .agentflow/ of each repository")
	if slices.ContainsFunc(change.Files, func(f api.ConnectFile) bool { return f.Agent == "claude" }) {
		unused := ""
		if len(change.Commands) > 0 {
			unused = ", plugins/cache/agentflow (an unused copy of the plugin)"
		}
		c.Row(8, "remains", "what Claude itself wrote into its folder: session-env (a folder for each session with hooks), backups (its settings as they were)%s", unused)
	}
	c.Printf("\n")
}

// changedFiles lists the files that are written: several commands in one row.
func changedFiles(c *cli.Env, change api.ConnectChange, label string, diff bool) {
	for i, f := range change.Files {
		if f.Action == "leave" {
			c.Warn("%s: leaving %s as it is: %s", f.Agent, f.Path, f.Why)
			continue
		}
		about, place := f.About, f.Path
		if about == "the plugin" && !diff {
			if i > 0 && change.Files[i-1].About == about || f.Action == "remove" { // commandsRun names the folder
				continue
			}
			place = pluginFolder(change.Files)
		}
		if name, is := strings.CutPrefix(about, "the command "); is && !diff {
			if i > 0 && filepath.Dir(change.Files[i-1].Path) == filepath.Dir(f.Path) {
				continue
			}
			about, place = "the commands "+commandNames(change.Files, name), filepath.Dir(f.Path)
		}
		c.Row(8, label, "%s: %s", c.FromHome(place), about)
		printDiff(c, f, diff)
	}
}

// commandsRun lists the other changes: commands of Claude to run, and folders of agentflow.
func commandsRun(c *cli.Env, change api.ConnectChange) {
	for _, line := range change.Commands {
		label := "runs"
		if !strings.HasPrefix(line, "claude ") {
			label = "also"
		}
		c.Row(8, label, "%s", c.FromHome(line))
	}
}

// pluginFolder returns the folder with all changed files of the plugin.
func pluginFolder(files []api.ConnectFile) string {
	dir := ""
	for _, f := range files {
		if f.About == "the plugin" && dir == "" {
			dir = filepath.Dir(f.Path)
		}
		for f.About == "the plugin" && !strings.HasPrefix(f.Path, dir+string(filepath.Separator)) {
			dir = filepath.Dir(dir)
		}
	}
	return dir
}

// commandNames lists the commands among files, beginning with the first.
func commandNames(files []api.ConnectFile, first string) string {
	names := []string{first}
	for _, f := range files {
		if name, is := strings.CutPrefix(f.About, "the command "); is && name != first {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

func printDiff(c *cli.Env, f api.ConnectFile, diff bool) {
	if !diff {
		return
	}
	for _, line := range f.Diff {
		colour := map[byte]string{'-': "31", '+': "32", '@': "2"}[line[0]]
		c.Printf("    %s\n", c.Style(colour, cli.CleanLine(line)))
	}
}

// namesOf lists the agents of files, each once.
func namesOf(files []api.ConnectFile) (names []string) {
	for _, f := range files {
		if name := agentNames[f.Agent]; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// remembers reports whether one of the agents has hooks.
func remembers(change api.ConnectChange) bool {
	return slices.ContainsFunc(change.Files, func(f api.ConnectFile) bool { return f.Agent == "claude" || f.Agent == "codex" })
}
