package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"agentflow/config"
	"agentflow/executor"
	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/memory/quote"
)

// Agent identifies an agent that uses memory through a tool. Its claims are checked where that is
// possible: Run counts only while that run is active, and only with the Token that the run gave to
// its agent.
type Agent struct {
	Name    string // name that the agent reports, such as "claude-code"; empty: unknown
	Session string // id of its session; empty: unknown
	Run     string // id of the run that it works for; empty: none
	Token   string // token of that run, which its agent has in executor.TokenVar
}

// ReadingTools names the tools that change nothing, as a server of memory's tools names them.
var ReadingTools = []string{"memory_search", "memory_get", "memory_list", "files_for_task", "why"}

// AgentSession is one session of an agent that uses memory. It stores facts under the agent's name,
// and it changes and deletes facts that agents stored or that runs reported. A session makes at
// most MaxAgentWrites changes, and all sessions of a Memory together make at most
// MaxAgentWritesAnHour within an hour. A session does not change facts that a person wrote, edited
// or pinned, imported facts, and facts in MEMORY.md. The text that it stores is cleaned and
// redacted in full, has an importance of at most memory.MostAgentImportance and is never pinned. It
// may change the user's own memory only if the setting tools.global allows it. An AgentSession is
// safe for concurrent use.
type AgentSession struct {
	memory *Memory
	agent  Agent
	writes atomic.Int64
}

// NewAgentSession starts a session of an agent.
func NewAgentSession(m *Memory, agent Agent) *AgentSession {
	return &AgentSession{memory: m, agent: agent}
}

// Remember calls Memory.Remember for the agent. A fact that memory already holds does not count as
// a change. In addition to the errors of Memory.Remember it returns KindRefused, if the agent may
// not change the fact to be replaced or agents have reached a limit of changes.
func (a *AgentSession) Remember(ctx context.Context, req RememberRequest) (result RememberResult, err error) {
	if err := a.write(); err != nil {
		return result, err
	}
	req.agent = &a.agent
	result, err = Remember(ctx, a.memory, req)
	if err != nil || result.Fact.Existing {
		a.giveBack()
	}
	return result, err
}

// Edit calls Memory.Edit for the agent and returns the errors that Remember returns. A new text
// becomes a new fact, and the old one stays, struck. EditResult.Replaced is the id of the old one.
func (a *AgentSession) Edit(ctx context.Context, req EditRequest) (result EditResult, err error) {
	if err := a.write(); err != nil {
		return result, err
	}
	req.agent, req.Editor = &a.agent, nil
	result, err = Edit(ctx, a.memory, req)
	if err != nil || !result.Changed {
		a.giveBack()
	}
	return result, err
}

// Forget removes one fact from memory. Restore can bring it back. Errors are as for Remember.
func (a *AgentSession) Forget(ctx context.Context, id string) (result ForgetResult, err error) {
	if err := a.write(); err != nil {
		return result, err
	}
	plan, err := PlanForget(ctx, a.memory, ForgetRequest{IDs: []string{id}, agent: &a.agent})
	if err == nil {
		plan.byAgent = true
		result, err = ApplyForget(ctx, a.memory, plan)
	}
	if err != nil {
		a.giveBack()
	}
	return result, err
}

// mayChange returns the reason why the agent may not change an item of home. It returns nil if the
// agent may change it, and for a person (a nil Agent).
func (a *Agent) mayChange(home *openMemory, item storedItem) error {
	if a == nil {
		return nil
	}
	if home.isGlobal() {
		if err := openToAgents(home.operation); err != nil {
			return err
		}
	}
	if item.Author != "" {
		return refusedToAgents(item.ID, quote.Name(item.Author)+" shares it")
	}
	if item.File == feedback {
		return refusedToAgents(item.ID, "it is a judgement of a person")
	}
	fact, err := item.editable()
	if err != nil {
		return refusedToAgents(item.ID, "it is an entry: agents change facts")
	}
	fact.Source = item.source(fact)
	if fact.Namespace == memory.TeamNamespace {
		if err := openToAgents(home.operation); err != nil {
			return err
		}
	}
	switch {
	case fact.ByPerson() || item.Entry != nil && item.Entry.Pinned:
		return refusedToAgents(fact.ID, "a person wrote, edited or pinned it")
	case !fact.OpenToAgents():
		return refusedToAgents(fact.ID, "it was imported")
	}
	lasting, err := readMemory(filepath.Join(home.Memory(), memory.LastingFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if slices.Contains(markdown.Parse(lasting).IDs(), fact.ID) {
		return refusedToAgents(fact.ID, "it stands in "+memory.LastingFile)
	}
	return nil
}

// mayStore returns an error if the agent may not store the signed fact f. Only a person can bring
// back a fact that was forgotten.
func (a *Agent) mayStore(ctx context.Context, home *openMemory, f memory.Fact) error {
	if a == nil {
		return nil
	}
	forgotten, err := home.store.Barred(ctx)
	if err != nil {
		return err
	}
	if forgotten(memory.TextID(f.Text)) {
		return &Error{Kind: KindRefused, Err: errors.New("this was forgotten, and an agent does not bring it back"),
			Hint: "tell the user, who can remember it again"}
	}
	return nil
}

func refusedToAgents(id, why string) error {
	return &Error{Kind: KindRefused, Err: fmt.Errorf("%s stays as it is: %s", memory.ShortID(id), why), Hint: "tell the user what should be changed"}
}

// openToAgents returns an error unless the user's own settings let agents change memory that counts
// beyond this repository: the user's own memory and the facts for a whole team.
func openToAgents(o *operation) error {
	dirs, err := o.dirs()
	if err != nil {
		return err
	}
	settings, _, err := config.Load(o.layers(config.Place{}, dirs)) // without a repository's settings, which cannot allow it
	if err != nil {
		return err
	}
	if settings.Tools.Global {
		return nil
	}
	return &Error{Kind: KindRefused, Err: errors.New("agents may not change the user's own memory, nor what holds for all of a team's repositories"),
		Hint: "leave the namespace out; the user can allow it with 'agentflow config set tools.global true'"}
}

// limit returns the change that an agent may make: cleaned, with an importance of at most
// memory.MostAgentImportance, and refused if it has the tag that pins.
func (a *Agent) limit(c FactChange) (FactChange, error) {
	if a == nil {
		return c, nil
	}
	for _, text := range []**string{&c.Text, &c.Key, &c.Category, &c.Namespace} {
		if *text != nil {
			clean := memory.Clean(**text)
			*text = &clean
		}
	}
	if c.Tags != nil {
		tags := mapped(*c.Tags, cleanLine)
		c.Tags = &tags
		if slices.ContainsFunc(tags, func(t string) bool { return strings.EqualFold(strings.TrimSpace(t), memory.PinnedTag) }) {
			return c, &Error{Kind: KindRefused, Err: fmt.Errorf("only a person pins a fact"), Hint: "leave the tag " + memory.PinnedTag + " out"}
		}
	}
	if c.Importance != nil {
		most := min(*c.Importance, memory.MostAgentImportance)
		c.Importance = &most
	}
	return c, nil
}

// mayReach returns an error if the agent may not make a change that counts beyond this repository.
func (a *Agent) mayReach(o *operation, c FactChange) error {
	if a == nil || c.Namespace == nil || *c.Namespace != memory.TeamNamespace && *c.Namespace != memory.GlobalNamespace {
		return nil
	}
	return openToAgents(o)
}

// sign records in a new fact who stored it, and for which run. redact removes secrets from the
// names that an agent gives itself.
func (a *Agent) sign(o *operation, f *memory.Fact, redact func(string) string) {
	if a == nil {
		f.Source = memory.ByHand
		return
	}
	a.mark(f, redact)
	f.Source = cmp.Or(a.provenRun(o), memory.ByAgent)
}

// source returns the source of a fact of the item. A fact in the entry of a run comes from that
// run, unless the fact names another source.
func (f storedItem) source(fact memory.Fact) string {
	if fact.Source == "" && f.Entry != nil && f.Entry.Kind.ByAgent() {
		return f.Entry.ID
	}
	return fact.Source
}

// mark records in a fact which agent stored or changed it.
func (a *Agent) mark(f *memory.Fact, redact func(string) string) {
	f.Agent, f.Session, f.Said = cmp.Or(agentLabel(a.Name, redact), memory.ByAgent), agentLabel(a.Session, redact), memory.SaidOf(f.Text)
	f.Importance = min(f.Importance, memory.MostAgentImportance)
}

// agentLabel returns a name that an agent gives itself in the form that memory stores: one line
// without secrets, of at most maxAttribute characters.
func agentLabel(text string, redact func(string) string) string {
	text = redact(strings.TrimSpace(cleanLine(strings.ToValidUTF8(text, "\uFFFD"))))
	if utf8.RuneCountInString(text) > maxAttribute {
		text = string([]rune(text)[:maxAttribute])
	}
	return text
}

// provenRun returns the id of the run that the agent works for. It must be an active run of this
// repository that gave the agent its token. Otherwise provenRun returns the empty string.
func (a *Agent) provenRun(o *operation) string {
	place, _, err := o.place()
	if err != nil || !executor.IsAgentOf(place.Runs(), a.Run, a.Token) {
		return ""
	}
	return a.Run
}
