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

// Agent is who uses memory through a tool. What it says of itself is believed
// only as far as it can be checked: Run counts while that run is going on, and
// with the Token that the run gave to its own agent.
type Agent struct {
	Name    string // as it names itself: "claude-code"; empty: not known
	Session string // id of its session; empty: not known
	Run     string // id of the run that it works for; empty: none
	Token   string // of that run, as its agent has it in executor.TokenVar
}

// ReadingTools are the tools that change nothing, as a server of memory's tools
// names them.
var ReadingTools = []string{"memory_search", "memory_get", "memory_list", "files_for_task", "why"}

// AgentSession is what one session of an agent may do to memory: it stores
// facts under the agent's name, and changes and takes out what agents stored so
// or runs said, MaxAgentWrites times, and all sessions of a Memory together
// MaxAgentWritesAnHour times in an hour. What a person wrote, edited or pinned, what
// was imported and what stands in MEMORY.md it leaves as it is; what it stores
// is cleaned and redacted whole, gets an importance of at most
// memory.MostAgentImportance and is never pinned. The user's own memory is open to
// it only where the setting tools.global says so. It is safe for concurrent use.
type AgentSession struct {
	memory *Memory
	agent  Agent
	writes atomic.Int64
}

// AgentSession begins a session of an agent.
func (m *Memory) AgentSession(agent Agent) *AgentSession {
	return &AgentSession{memory: m, agent: agent}
}

// Remember is the Memory's Remember for the agent. A fact that memory holds
// already does not count as a change. Another kind of error is KindRefused: what
// it is to replace is not the agent's to change, or agents have changed memory
// often enough.
func (a *AgentSession) Remember(ctx context.Context, req RememberRequest) (result RememberResult, err error) {
	if err := a.write(); err != nil {
		return result, err
	}
	req.agent = &a.agent
	result, err = a.memory.Remember(ctx, req)
	if err != nil || result.Fact.Existing {
		a.giveBack()
	}
	return result, err
}

// Edit is the Memory's Edit for the agent; errors are as for Remember. A new text
// becomes a fact of its own, in whose place the old one stays, struck:
// EditResult.Replaced is its id.
func (a *AgentSession) Edit(ctx context.Context, req EditRequest) (result EditResult, err error) {
	if err := a.write(); err != nil {
		return result, err
	}
	req.agent, req.Editor = &a.agent, nil
	result, err = a.memory.Edit(ctx, req)
	if err != nil || !result.Changed {
		a.giveBack()
	}
	return result, err
}

// Forget takes one fact out of memory, so that Restore brings it back; errors
// are as for Remember.
func (a *AgentSession) Forget(ctx context.Context, id string) (result ForgetResult, err error) {
	if err := a.write(); err != nil {
		return result, err
	}
	plan, err := a.memory.PlanForget(ctx, ForgetRequest{IDs: []string{id}, agent: &a.agent})
	if err == nil {
		plan.byAgent = true
		result, err = a.memory.ApplyForget(ctx, plan)
	}
	if err != nil {
		a.giveBack()
	}
	return result, err
}

// mayChange says why the agent may not change an item of home; nil when it may,
// and for a person.
func (a *Agent) mayChange(home *openMemory, item storedItem) error {
	if a == nil {
		return nil
	}
	if home.isGlobal() {
		if err := home.openToAgents(); err != nil {
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
		if err := home.openToAgents(); err != nil {
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

// mayStore says why the agent may not store a fact that it signed: what was
// forgotten comes back by a person alone.
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

// openToAgents is an error where the user's own settings do not let agents
// change what counts beyond this repository: the user's own memory, what holds for a team.
func (o *operation) openToAgents() error {
	dirs, err := o.dirs()
	if err != nil {
		return err
	}
	settings, _, err := config.Load(o.layers(config.Place{}, dirs)) // no repository has a say in it
	if err != nil {
		return err
	}
	if settings.Tools.Global {
		return nil
	}
	return &Error{Kind: KindRefused, Err: errors.New("agents may not change the user's own memory, nor what holds for all of a team's repositories"),
		Hint: "leave the namespace out; the user can allow it with 'agentflow config set tools.global true'"}
}

// limit is a change as an agent may make it: clean, with no more importance than
// memory.MostAgentImportance, and without the tag that pins.
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

// mayReach says why the agent may not have a change reach beyond this repository.
func (a *Agent) mayReach(o *operation, c FactChange) error {
	if a == nil || c.Namespace == nil || *c.Namespace != memory.TeamNamespace && *c.Namespace != memory.GlobalNamespace {
		return nil
	}
	return o.openToAgents()
}

// sign says in a new fact who stored it, and for which run. redact takes secrets
// out of what an agent says of itself.
func (a *Agent) sign(o *operation, f *memory.Fact, redact func(string) string) {
	if a == nil {
		f.Source = memory.ByHand
		return
	}
	a.mark(f, redact)
	f.Source = cmp.Or(a.provenRun(o), memory.ByAgent)
}

// source is where a fact of the item came from: one in the entry of a run came
// from that where it does not say otherwise.
func (f storedItem) source(fact memory.Fact) string {
	if fact.Source == "" && f.Entry != nil && f.Entry.Kind.ByAgent() {
		return f.Entry.ID
	}
	return fact.Source
}

// mark says in a fact which agent stored or changed it.
func (a *Agent) mark(f *memory.Fact, redact func(string) string) {
	f.Agent, f.Session, f.Said = cmp.Or(agentLabel(a.Name, redact), memory.ByAgent), agentLabel(a.Session, redact), memory.SaidOf(f.Text)
	f.Importance = min(f.Importance, memory.MostAgentImportance)
}

// agentLabel is what an agent says of itself, as memory keeps it: on one line,
// without secrets, and at most maxAttribute characters.
func agentLabel(text string, redact func(string) string) string {
	text = redact(strings.TrimSpace(cleanLine(strings.ToValidUTF8(text, "\uFFFD"))))
	if utf8.RuneCountInString(text) > maxAttribute {
		text = string([]rune(text)[:maxAttribute])
	}
	return text
}

// provenRun is the run that the agent works for: one of this repository that is
// going on and gave it the token; empty: none.
func (a *Agent) provenRun(o *operation) string {
	place, _, err := o.place()
	if err != nil || !executor.IsAgentOf(place.Runs(), a.Run, a.Token) {
		return ""
	}
	return a.Run
}
