package apptest

import (
	"testing"

	"agentflow/app"
	"agentflow/app/agent"
	"agentflow/app/fact"
	"agentflow/internal/memorytool"
)

// ToolUser calls the memory tool in a repository.
type ToolUser struct {
	*Place
	M     *app.Memory
	Agent *agent.AgentSession
}

func NewToolUser(t testing.TB) *ToolUser {
	p := NewRepository(t)
	m := p.Memory()
	return &ToolUser{p, m, agent.NewAgentSession(m, fact.Agent{Name: "claude-code", Session: "s1"})}
}

// Do returns the answer to a command that has to succeed.
func (u *ToolUser) Do(c memorytool.Command) string {
	u.T.Helper()
	return Must(u.Agent.MemoryTool(u.T.Context(), c))(u.T)
}

// Fails requires an error of a command, by its kind and text.
func (u *ToolUser) Fails(c memorytool.Command, kind app.Kind, text string) {
	u.T.Helper()
	answer, err := u.Agent.MemoryTool(u.T.Context(), c)
	WantKind(u.T, err, kind)
	if err.Error() != text || answer != "" {
		u.T.Errorf("%s says %q and fails with\n%s\nnot with\n%s", c, answer, err, text)
	}
}

// Note returns the content of a note's file, or "" if there is none.
func (u *ToolUser) Note(name string) string {
	u.T.Helper()
	if !u.Exists(".agentflow/memory/notes/" + name) {
		return ""
	}
	return u.Read(".agentflow/memory/notes/" + name)
}

func Create(path, text string) memorytool.Command {
	return memorytool.Command{Command: memorytool.Create, Path: path, FileText: &text}
}

func Replace(path, old, with string) memorytool.Command {
	return memorytool.Command{Command: memorytool.StrReplace, Path: path, OldStr: old, NewStr: with}
}

func OnPath(command, path string) memorytool.Command {
	return memorytool.Command{Command: command, Path: path}
}

func Rename(from, to string) memorytool.Command {
	return memorytool.Command{Command: memorytool.Rename, OldPath: from, NewPath: to}
}

// Importable returns a file of notes.
func (u *ToolUser) Importable() string {
	u.Write("notes-to-import.md", "# Notes\n\n- the build needs make\n- the tests need git\n")
	return u.Path("notes-to-import.md")
}
