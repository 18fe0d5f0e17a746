// Package fact stores, changes, pins and compares facts: Remember, Edit, Pin, Similar, CloseFacts.
//
// Remember writes a fact as a separate entry, and strikes the fact that it replaces in the same change. It checks
// under the store's lock whether the same fact exists, so many callers at once make one fact. Edit replaces a fact
// wherever memory holds it, as one change. An edit by hand in the meantime wins: Edit refuses, and keeps the text
// that the user typed in an editor in a file. Secrets are redacted.
//
// Each change is made for a person or for an Agent. Agent.MayChange refuses to an agent the facts that a person
// wrote, edited or pinned, imported facts, facts in MEMORY.md, entries, and facts that others share. An agent's fact
// has a bounded importance, is never pinned, and does not bring back a forgotten text. Only the user's settings let
// agents change the user's own memory, or facts for all repositories of a team.
//
// Not guaranteed: facts that say the same in other words are reported as close (consolidate.Close), and stored.
package fact

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"agentflow/app"
	"agentflow/app/lookup"
	"agentflow/app/memoryfiles"
	"agentflow/executor"
	"agentflow/internal/config"
	"agentflow/internal/lists"
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

// MayChange returns the reason why the agent may not change an item of home. It returns nil if the
// agent may change it, and for a person (a nil Agent).
func (a *Agent) MayChange(home *app.Repo, item lookup.StoredItem) error {
	if a == nil {
		return nil
	}
	if home.IsGlobal() {
		if err := openToAgents(home.Operation); err != nil {
			return err
		}
	}
	if item.Author != "" {
		return RefusedToAgents(item.ID, quote.Name(item.Author)+" shares it")
	}
	if item.File == lookup.Feedback {
		return RefusedToAgents(item.ID, "it is a judgement of a person")
	}
	fact, err := item.Editable()
	if err != nil {
		return RefusedToAgents(item.ID, "it is an entry: agents change facts")
	}
	fact.Source = item.Source(fact)
	if fact.Namespace == memory.TeamNamespace {
		if err := openToAgents(home.Operation); err != nil {
			return err
		}
	}
	switch {
	case fact.ByPerson() || item.Entry != nil && item.Entry.Pinned:
		return RefusedToAgents(fact.ID, "a person wrote, edited or pinned it")
	case !fact.OpenToAgents():
		return RefusedToAgents(fact.ID, "it was imported")
	}
	lasting, err := memoryfiles.Read(filepath.Join(home.Memory(), memory.LastingFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if slices.Contains(markdown.Parse(lasting).IDs(), fact.ID) {
		return RefusedToAgents(fact.ID, "it is in "+memory.LastingFile)
	}
	return nil
}

// mayStore returns an error if the agent may not store the signed fact f. Only a person can bring
// back a fact that was forgotten.
func (a *Agent) mayStore(ctx context.Context, home *app.Repo, f memory.Fact) error {
	if a == nil {
		return nil
	}
	forgotten, err := home.Store.Barred(ctx)
	if err != nil {
		return err
	}
	if forgotten(memory.TextID(f.Text)) {
		return &app.Error{Kind: app.KindRefused, Err: errors.New("this was forgotten, and an agent does not bring it back"),
			Hint: "ask the user, who can remember it again"}
	}
	return nil
}

// RefusedToAgents returns the error for an item that an agent may not change.
func RefusedToAgents(id, why string) error {
	return &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("%s stays as it is: %s", memory.ShortID(id), why), Hint: "ask the user to change it"}
}

// openToAgents returns an error unless the user's own settings let agents change memory that counts
// beyond this repository: the user's own memory and the facts for a whole team.
func openToAgents(o *app.Operation) error {
	dirs, err := o.Dirs()
	if err != nil {
		return err
	}
	settings, _, err := config.Load(o.Layers(config.Place{}, dirs)) // without a repository's settings, which cannot allow it
	if err != nil {
		return err
	}
	if settings.Tools.Global {
		return nil
	}
	return &app.Error{Kind: app.KindRefused, Err: errors.New("agents may not change the user's own memory, nor what holds for all of a team's repositories"),
		Hint: "leave the namespace out; the user can allow it with 'agentflow config set tools.global true'"}
}

// limit returns the change that an agent may make: cleaned, with an importance of at most
// memory.MostAgentImportance, and refused if it has the tag that pins.
func (a *Agent) limit(c Change) (Change, error) {
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
		tags := lists.Mapped(*c.Tags, app.CleanLine)
		c.Tags = &tags
		if slices.ContainsFunc(tags, func(t string) bool { return strings.EqualFold(strings.TrimSpace(t), memory.PinnedTag) }) {
			return c, &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("only a person pins a fact"), Hint: "leave the tag " + memory.PinnedTag + " out"}
		}
	}
	if c.Importance != nil {
		most := min(*c.Importance, memory.MostAgentImportance)
		c.Importance = &most
	}
	return c, nil
}

// mayReach returns an error if the agent may not make a change that counts beyond this repository.
func (a *Agent) mayReach(o *app.Operation, c Change) error {
	if a == nil || c.Namespace == nil || *c.Namespace != memory.TeamNamespace && *c.Namespace != memory.GlobalNamespace {
		return nil
	}
	return openToAgents(o)
}

// sign records in a new fact who stored it, and for which run. redact removes secrets from the
// names that an agent gives itself.
func (a *Agent) sign(o *app.Operation, f *memory.Fact, redact func(string) string) {
	if a == nil {
		f.Source = memory.ByHand
		return
	}
	a.mark(f, redact)
	f.Source = cmp.Or(a.ProvenRun(o), memory.ByAgent)
}

// mark records in a fact which agent stored or changed it.
func (a *Agent) mark(f *memory.Fact, redact func(string) string) {
	f.Agent, f.Session, f.Said = cmp.Or(AgentLabel(a.Name, redact), memory.ByAgent), AgentLabel(a.Session, redact), memory.SaidOf(f.Text)
	f.Importance = min(f.Importance, memory.MostAgentImportance)
}

// AgentLabel returns a name that an agent gives itself in the form that memory stores: one line
// without secrets, of at most MaxAttribute characters.
func AgentLabel(text string, redact func(string) string) string {
	text = redact(strings.TrimSpace(app.CleanLine(strings.ToValidUTF8(text, "\uFFFD"))))
	if utf8.RuneCountInString(text) > lookup.MaxAttribute {
		text = string([]rune(text)[:lookup.MaxAttribute])
	}
	return text
}

// ProvenRun returns the id of the run that the agent works for. It must be an active run of this
// repository that gave the agent its token. Otherwise ProvenRun returns the empty string.
func (a *Agent) ProvenRun(o *app.Operation) string {
	place, _, err := o.Place()
	if err != nil || !executor.IsAgentOf(place.Runs(), a.Run, a.Token) {
		return ""
	}
	return a.Run
}
