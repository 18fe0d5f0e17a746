package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/app/purge"
	"agentflow/internal/atomicfile"
	"agentflow/internal/filelock"
	"agentflow/internal/safefile"
	"agentflow/memory"
)

// Conversation is a stored conversation with a model. Its file is below the repository's state
// folder, readable only by the user, with secrets redacted.
type Conversation struct {
	ID       string          `json:"id"`
	Created  time.Time       `json:"created"`
	Updated  time.Time       `json:"updated"`
	CostUSD  float64         `json:"cost_usd"`
	Messages json.RawMessage `json:"messages"` // in the format of the Messages API
}

const (
	maxConversations = 100             // more remove the oldest
	conversationWait = 5 * time.Second // longest wait for another process that writes a conversation
)

// ErrWentOn reports that another process has changed a conversation since it was read. The stored
// conversation stays as it is.
var ErrWentOn = errors.New("another process continued the conversation")

// KeepConversation stores a conversation and replaces its earlier version. since is the Updated
// time of the version that the caller read or stored before, zero for a new one. If the stored
// version has another time, KeepConversation writes nothing and returns an error that matches
// ErrWentOn. Other errors are of KindUsage (the id is no UUID, or the messages are not JSON),
// KindLocked and KindNoPlace.
func KeepConversation(ctx context.Context, m *app.Memory, c Conversation, since time.Time) (res Done, err error) {
	o := m.Begin(ctx)
	defer o.End(&res.Degraded, &err)
	if !purge.ConversationID().MatchString(c.ID) {
		return res, app.Usagef("%q is no id of a conversation", c.ID)
	}
	folder, err := conversations(o)
	if err != nil {
		return res, err
	}
	_, red, err := app.LoadHere(o)
	if err != nil {
		return res, err
	}
	var messages any
	if err := json.Unmarshal(c.Messages, &messages); err != nil {
		return res, app.Usagef("keeping conversation %s: %w", memory.ShortID(c.ID), err)
	}
	if c.Messages, err = json.Marshal(redactedJSON(messages, red.Text)); err != nil {
		return res, err
	}
	data, err := json.Marshal(c)
	if err != nil {
		return res, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return res, fmt.Errorf("keeping the conversation: %w", err)
	}
	lock, err := filelock.Acquire(ctx, filepath.Join(folder, "lock"), filelock.Self("chat", time.Now()), conversationWait)
	if err != nil {
		return res, fmt.Errorf("keeping the conversation: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	name := filepath.Join(folder, c.ID+".json")
	if old, err := readConversation(name); err == nil && !old.Updated.Equal(since) {
		return res, &app.Error{Kind: app.KindRefused, Err: ErrWentOn}
	}
	if err := atomicfile.Write(name, append(data, '\n'), 0o600); err != nil {
		return res, fmt.Errorf("keeping the conversation: %w", err)
	}
	ids, err := purge.ConversationIDs(folder)
	for _, id := range ids[:max(0, len(ids)-maxConversations)] {
		if id != c.ID {
			_ = os.Remove(filepath.Join(folder, id+".json")) // the next call tries again
		}
	}
	return res, err
}

// ConversationResult is a stored conversation.
type ConversationResult struct {
	Conversation
	Degraded []string
}

// ReadConversation reads a conversation by its id or the end of it. An empty ref means the one that was
// used last. Errors are of KindNotFound, KindUsage (several ids end with ref) and KindNoPlace.
func ReadConversation(ctx context.Context, m *app.Memory, ref string) (res ConversationResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&res.Degraded, &err)
	folder, err := conversations(o)
	if err != nil {
		return res, err
	}
	ids, err := purge.ConversationIDs(folder)
	if err != nil {
		return res, err
	}
	var fits []string
	for _, id := range ids {
		if ref == "" || strings.HasSuffix(id, ref) {
			fits = append(fits, id)
		}
	}
	switch {
	case len(fits) == 0 && ref == "":
		return res, &app.Error{Kind: app.KindNotFound, Err: errors.New("there is no conversation to continue"), Hint: "'agentflow chat' begins one"}
	case len(fits) == 0:
		return res, &app.Error{Kind: app.KindNotFound, Err: fmt.Errorf("there is no conversation %s", app.CleanLine(ref)), Hint: "--continue resumes the last one"}
	case len(fits) > 1 && ref != "":
		return res, app.Usagef("%s fits %d conversations", app.CleanLine(ref), len(fits))
	}
	name := filepath.Join(folder, fits[len(fits)-1]+".json")
	res.Conversation, err = readConversation(name)
	return res, err
}

func readConversation(name string) (c Conversation, err error) {
	data, err := safefile.Read(name, safefile.NoLink, purge.MaxConversation)
	if err != nil {
		return c, fmt.Errorf("reading the conversation: %w", err)
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return c, fmt.Errorf("reading the conversation in %s: %w", name, err)
	}
	return c, nil
}

// conversations returns the folder of the conversations.
func conversations(o *app.Operation) (string, error) {
	place, _, err := o.Place()
	return filepath.Join(place.State(), purge.ChatsFolder), err
}

// redactedJSON removes secrets from the strings of a JSON value. It leaves strings of the protocol
// itself as they are: ids, types and roles.
func redactedJSON(value any, redact func(string) string) any {
	switch v := value.(type) {
	case string:
		return redact(v)
	case []any:
		for i := range v {
			v[i] = redactedJSON(v[i], redact)
		}
	case map[string]any:
		for name := range v {
			switch name {
			case "id", "tool_use_id", "type", "role":
			default:
				v[name] = redactedJSON(v[name], redact)
			}
		}
	}
	return value
}
