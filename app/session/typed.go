package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/fact"
	"agentflow/app/forget"
	"agentflow/app/purge"
	"agentflow/executor/runfolder"
	"agentflow/executor/turns"
	"agentflow/internal/connect"
	"agentflow/internal/plural"
	"agentflow/memory"
	"agentflow/memory/quote"
	"agentflow/prompt"
)

// typed does what a person asks of memory with a command in a session: /remember WORDS and
// /forget ID. For /forget WORDS it names facts. Otherwise the agent would store the words, and
// memory would not know that a person said them. A note gives the agent the outcome.
func (s *sessionMemory) typed(ctx context.Context, m *app.Memory, res *HookResult) {
	if err := s.obey(ctx, m, false, res); err != nil {
		res.Message = "AgentFlow could not do that: " + quote.Line(memory.ShortIDs(err.Error()))
		res.Context = res.Message + ". Tell the user so."
	}
}

// typedLate is typed for a hook that was not finished. The hook may have done it.
func (s *sessionMemory) typedLate(ctx context.Context, m *app.Memory) {
	if s.ev.Moment != turns.Asked || !s.ev.Slow && len(s.ev.Trouble) == 0 {
		return
	}
	var res HookResult
	if err := s.obey(ctx, m, true, &res); err != nil && app.AsError(err).Kind != app.KindNotFound {
		s.trouble(err.Error())
	}
	if res.Message != "" {
		s.note(s.folder.TellOnce(res.Message))
	}
}

// obey does what a typed command asks, and says in the result what it did. It changes nothing if
// that was done already. Facts are not named late.
func (s *sessionMemory) obey(ctx context.Context, m *app.Memory, late bool, res *HookResult) error {
	name, words, ok := prompt.OwnCommand(s.ev.Prompt)
	switch {
	case !ok || words == "" || !isOurs(s.Repo, s.ev.Agent, name):
		return nil
	case name == "remember":
		return s.rememberTyped(ctx, m, words, res)
	case name == "forget" && isID(words):
		return forgetTyped(ctx, m, words, res)
	case name == "forget" && !late && !forget.IsRef(words):
		nameByWords(ctx, s.Repo, m, words, res)
	}
	return nil
}

// nameByWords names the facts that the words of a typed /forget choose, with the commands that take
// them out. Words alone take nothing out: the fact that is meant may be another one. If no fact is
// found in time, it leaves the search to the agent.
func nameByWords(ctx context.Context, s *app.Repo, m *app.Memory, words string, res *HookResult) {
	ctx, cancel := context.WithTimeout(ctx, s.Settings.Session.Deadline)
	defer cancel()
	plan, err := forget.PlanForget(ctx, m, forget.Request{Query: words})
	facts := slices.DeleteFunc(plan.Targets, func(t purge.ForgetTarget) bool { return t.Kind != "fact" })
	if err != nil || len(facts)+plan.Pinned == 0 {
		return
	}
	list := []string{"AgentFlow: nothing is forgotten yet. To take a fact out, type its line:"}
	if len(facts) == 0 {
		list[0] = "AgentFlow: nothing is forgotten."
	}
	for _, f := range facts[:min(len(facts), maxChoices)] {
		list = append(list, fmt.Sprintf("/forget %s  (%s)", memory.ShortID(f.ID), memory.Head(quote.Line(f.Text), shownOfItem)))
	}
	if more := len(facts) - maxChoices; more > 0 {
		list = append(list, fmt.Sprintf("and %d more: 'agentflow memory list WORDS' lists them", more))
	}
	if n := plan.Pinned; n > 0 {
		list = append(list, "left out, as words choose nothing that is pinned: "+plural.Count(n, "item")+"; '/forget ID' takes one out, and 'agentflow memory list' has the ids")
	}
	res.Message = strings.Join(list, "\n")
	if len(facts) == 0 {
		res.Context = "AgentFlow took nothing out: what these words fit is pinned. Delete nothing."
		return
	}
	res.Context = "AgentFlow named the facts that these words fit, and took nothing out. The user types '/forget ID' for one of them. Delete nothing."
}

// maxChoices limits the facts that are named.
const maxChoices = 5

// isID reports whether words are an id, or at least its six last digits, and no word such as facade.
func isID(words string) bool {
	const digits = "0123456789"
	return len(words) >= 6 && len(words) <= 36 && strings.Trim(words, digits+"abcdef-") == "" && strings.ContainsAny(words, digits)
}

// isOurs reports whether the command of this name is the one that connect gave to Claude, and
// neither the user nor the repository has another.
func isOurs(repo *app.Repo, agent, name string) bool {
	if agent != "claude" {
		return false
	}
	if _, err := os.Lstat(filepath.Join(app.Top(repo), ".claude", "commands", name+".md")); err == nil {
		return false
	}
	home := connect.Home{Getenv: repo.Getenv, Dir: repo.Dirs.Home}
	for _, c := range home.Commands(true) {
		if c.Name == "/"+name {
			text, err := os.ReadFile(c.Path)
			return err == nil && connect.IsCommand(string(text))
		}
	}
	return false
}

// rememberTyped stores the words as a fact that the person stated.
func (s *sessionMemory) rememberTyped(ctx context.Context, m *app.Memory, words string, res *HookResult) error {
	done, err := fact.Remember(ctx, m, fact.RememberRequest{Change: fact.Change{Text: &words}})
	if err != nil {
		return err
	}
	res.Degraded = append(res.Degraded, done.Degraded...)
	f := done.Fact
	outcome := "remembered as " + memory.ShortID(f.ID)
	switch {
	case done.Restated:
		outcome = "memory held that already, and it counts as yours now: " + memory.ShortID(f.ID)
	case f.Existing:
		outcome = "memory holds that already: " + memory.ShortID(f.ID)
	}
	if done.Redacted {
		outcome += ", without what looks like a secret"
	}
	res.Message = "AgentFlow: " + outcome + besides(f.Close)
	res.Context = "AgentFlow stored the user's words in memory, as said by the user (" + outcome + "). Do not store them again.\n" + aboutTheSame(f.Close)
	s.note(s.folder.Know(s.ev.At, runfolder.RecalledItem{ID: f.ID, Path: f.File, Line: f.Line}))
	return nil
}

// besides names the fact that is closest to the stored one, for the person.
func besides(facts []api.CloseFact) string {
	if len(facts) == 0 {
		return ""
	}
	return fmt.Sprintf(" (about the same: %s, %q)", memory.ShortID(facts[0].ID), memory.Head(quote.Line(facts[0].Text), shownOfItem))
}

// shownOfItem limits the text of an item in a message to a person, in characters.
const shownOfItem = 80

// aboutTheSame lists facts about the same thing as the stored one.
func aboutTheSame(facts []api.CloseFact) string {
	if len(facts) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("Memory also holds, about the same thing. Ask the user whether one of them is out of date; /forget ID takes it out:\n")
	for _, f := range facts {
		fmt.Fprintf(&b, "- %s: %s\n", memory.ShortID(f.ID), quote.Line(f.Text))
	}
	return b.String()
}

// forgetTyped takes an item out of memory, as the person asks.
func forgetTyped(ctx context.Context, m *app.Memory, id string, res *HookResult) error {
	plan, err := forget.PlanForget(ctx, m, forget.Request{IDs: []string{id}})
	if err == nil {
		_, err = forget.ApplyForget(ctx, m, plan)
	}
	if err != nil {
		return err
	}
	forgotten := plan.Targets[0]
	restore := "agentflow memory restore " + memory.ShortID(forgotten.ID)
	res.Message = fmt.Sprintf("AgentFlow: forgot %s, %q; to bring it back: %s", memory.ShortID(forgotten.ID), memory.Head(quote.Line(forgotten.Text), shownOfItem), restore)
	res.Context = "AgentFlow forgot " + memory.ShortID(forgotten.ID) + " (" + quote.Line(forgotten.Text) + "), as the user asked. '" + restore + "' brings it back. Delete nothing."
	return nil
}
