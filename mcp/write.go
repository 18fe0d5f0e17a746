package mcp

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"agentflow/app/api"
	"agentflow/app/fact"
	"agentflow/internal/describe"
	"agentflow/memory"
	"agentflow/memory/quote"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// addWriting offers the tools that change facts.
func (d *door) addWriting(s *sdk.Server) {
	tool(s, "memory_store", "Remember a fact",
		"Remember a fact for later work on this repository. Says what memory holds already under the same key or in the same words.", adds, d.store)
	tool(s, "memory_update", "Correct a fact",
		"Correct a fact that an agent stored or a run said; the old text stays in the history. What a person wrote stays as it is.", changes, d.update)
	tool(s, "memory_delete", "Forget a fact",
		"Forget a fact that an agent stored or a run said. A person can bring it back.", removes, d.delete)
}

// attributes are the attributes of a fact besides its text. A nil one is not changed.
type attributes struct {
	Type       *string   `json:"type,omitempty" jsonschema:"semantic (something that is so), episodic (something that happened) or procedural (how to do something)"`
	Importance *float64  `json:"importance,omitempty" jsonschema:"0 to 0.7; 0.5 is usual"`
	Tags       *[]string `json:"tags,omitempty" jsonschema:"a few words to find it by"`
	Key        *string   `json:"key,omitempty" jsonschema:"what the fact is about, such as ci.timeout: two facts with one key contradict each other"`
	Category   *string   `json:"category,omitempty" jsonschema:"what it belongs to"`
	Namespace  *string   `json:"namespace,omitempty" jsonschema:"project (the default), branch (the one that is checked out), or team or global where the user allows it"`
	Expires    *string   `json:"expires,omitempty" jsonschema:"when it stops being true: 2026-12-31, or 30d from now"`
}

// change returns the arguments in app's form.
func (a attributes) change(text *string) (fact.Change, error) {
	c := fact.Change{Text: text, Type: (*memory.FactType)(a.Type), Importance: a.Importance, Tags: a.Tags, Key: a.Key, Category: a.Category, Namespace: a.Namespace}
	if a.Expires == nil {
		return c, nil
	}
	for _, attribute := range fact.Attributes {
		if attribute.Name == "expires" {
			if err := attribute.Set(&c, *a.Expires, time.Now()); err != nil {
				return c, fmt.Errorf("expires: %w", err)
			}
		}
	}
	return c, nil
}

type storeArguments struct {
	Text string `json:"text" jsonschema:"the fact, in one or two sentences that make sense without context"`
	attributes
}

func (d *door) store(ctx context.Context, s *sdk.ServerSession, in storeArguments) (string, error) {
	change, err := in.change(&in.Text)
	if err != nil {
		return "", err
	}
	done, err := d.agent(s).Remember(ctx, fact.RememberRequest{Change: change})
	if err != nil {
		return "", err
	}
	f := done.Fact
	a := &answer{rest: "more facts have that key: see memory_list"}
	if f.Existing {
		a.add("memory holds that already, and nothing new was stored:\n" + factText(f.Fact))
	} else {
		a.add(fmt.Sprintf("remembered · id %s · importance %.2g · %s", memory.ShortID(f.ID), f.Importance, placeOf(f.Fact, done.Place)))
	}
	if done.Redacted {
		a.add("What looked like a secret was taken out of the text.")
	}
	if len(done.SameKey) > 0 {
		a.add("Other facts hold that have the key " + quote.Name(f.Key) + ". Correct or delete the wrong ones, where you may:")
	}
	for _, other := range done.SameKey {
		who := ""
		if other.Author != "" {
			who = " · shared by " + quote.Name(other.Author) + ", and only they can change it: inform the user"
		}
		a.add("id " + memory.ShortID(other.ID) + who + "\n" + quote.Block(other.Whole()))
	}
	a.tell(done.Degraded)
	return a.text(""), nil
}

// placeOf returns the place of a fact, with the name that the tools use for its file. place is
// absolute for a new file.
func placeOf(f api.Fact, place string) string {
	switch {
	case !filepath.IsAbs(place):
	case f.Namespace == memory.GlobalNamespace:
		place = "global:memory/" + filepath.Base(place)
	default:
		place = "memory/" + filepath.Base(place)
	}
	return describe.Place(place, 0, 0)
}

type updateArguments struct {
	ID   string  `json:"id" jsonschema:"the fact's id, or its end"`
	Text *string `json:"text,omitempty" jsonschema:"the new text; left out, it stays"`
	attributes
}

func (d *door) update(ctx context.Context, s *sdk.ServerSession, in updateArguments) (string, error) {
	change, err := in.change(in.Text)
	if err != nil {
		return "", err
	}
	done, err := d.agent(s).Edit(ctx, fact.EditRequest{ID: in.ID, Change: change})
	if err != nil {
		return "", err
	}
	id := memory.ShortID(done.Fact.ID)
	a := &answer{}
	switch {
	case !done.Changed:
		a.add("nothing was changed: fact " + id + " says so already")
	case done.Replaced != "":
		a.add(fmt.Sprintf("corrected · new id %s, in the place of %s; its old text stays in the history", id, memory.ShortID(done.Replaced)))
	default:
		a.add("changed · id " + id)
	}
	for i, place := range done.Places {
		done.Places[i] = placeOf(done.Fact, place)
	}
	a.add(strings.Join(done.Places, ", "))
	a.add(quote.Block(done.Fact.Whole()))
	a.tell(done.Degraded)
	return a.text(""), nil
}

type deleteArguments struct {
	ID string `json:"id" jsonschema:"the fact's id, or its end"`
}

func (d *door) delete(ctx context.Context, s *sdk.ServerSession, in deleteArguments) (string, error) {
	done, err := d.agent(s).Forget(ctx, in.ID)
	if err != nil {
		return "", err
	}
	a := &answer{}
	for _, gone := range done.Forgotten.Memories {
		a.add(fmt.Sprintf("forgot %s · %s\n%s", memory.ShortID(gone.ID), describe.Place(gone.Place, 0, 0), quote.Block(gone.Text)))
	}
	a.add(fmt.Sprintf("'agentflow memory restore %s' brings it back.", cmp.Or(strings.Join(mapShort(done.Forgotten.Forgotten), " "), in.ID)))
	a.tell(done.Degraded)
	return a.text(""), nil
}

func mapShort(ids []string) (short []string) {
	for _, id := range ids {
		short = append(short, memory.ShortID(id))
	}
	return short
}
