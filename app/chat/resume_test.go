package chat

import (
	"strings"
	"testing"

	"agentflow/app"
	"agentflow/app/run"
	"agentflow/internal/testing/modeltest"
	"agentflow/memory"

	"github.com/anthropics/anthropic-sdk-go"
)

// TestResume continues conversations.
func TestResume(t *testing.T) {
	u := newUser(t, modeltest.Use("memory_search", input{"query": "x"}), modeltest.Say("one"), modeltest.Say("two"), modeltest.Say("three"))
	first, second := u.begin(Options{}), u.begin(Options{})
	u.ask(first, "first question")
	u.ask(second, "second question")
	a := u.ask(u.begin(Options{Resume: first.ID()[24:]}), "third question")
	if a.ID != first.ID() || a.Answer != "three" {
		t.Errorf("the answer is %+v", a)
	}
	messages := u.requests()[3].Messages
	if len(messages) != 5 || messages[1].Content[0].Type != "tool_use" || messages[3].Content[0].Text != "one" {
		t.Errorf("the conversation is %+v", messages)
	}
	if got := u.begin(Options{Continue: true}).ID(); got != first.ID() {
		t.Errorf("goes on with %s, want the one used last", got)
	}
	_, err := Begin(t.Context(), u.memory, Options{Resume: "0123"})
	wantKind(t, err, app.KindNotFound, "no conversation 0123")
}

// TestTwoGoOn: if two processes continue one conversation, neither loses a turn. The one that
// is stored second becomes a new conversation.
func TestTwoGoOn(t *testing.T) {
	u := newUser(t, modeltest.Say("one"), modeltest.Say("two"), modeltest.Say("three"), modeltest.Say("four"))
	first := u.begin(Options{})
	u.ask(first, "first question")
	second := u.begin(Options{Resume: first.ID()})
	u.ask(first, "second question")
	a := u.ask(second, "third question")
	if a.ID == first.ID() || a.ID != second.ID() || !strings.Contains(strings.Join(u.told(EventNotice), ""), "continues as "+memory.ShortID(a.ID)) {
		t.Errorf("the answer is %+v, told %q", a, u.told(EventNotice))
	}
	u.ask(second, "fourth question")
	for id, want := range map[string]string{first.ID(): "first second", second.ID(): "first third fourth"} {
		kept, err := run.ReadConversation(t.Context(), u.memory, id)
		if err != nil {
			t.Fatal(err)
		}
		var asked []string
		for _, word := range []string{"first", "second", "third", "fourth"} {
			if strings.Contains(string(kept.Messages), word+" question") {
				asked = append(asked, word)
			}
		}
		if got := strings.Join(asked, " "); got != want {
			t.Errorf("%s holds %q, want %q", id, got, want)
		}
	}
}

// TestThoughtsAreNotKept: a model's thoughts are signed, so the API refuses a redacted copy, or
// one for another model.
func TestThoughtsAreNotKept(t *testing.T) {
	thought := anthropic.NewBetaThinkingBlock("signature", "hm")
	kept := withoutThinking([]anthropic.BetaMessageParam{
		anthropic.NewBetaUserMessage(anthropic.NewBetaTextBlock("q")),
		{Role: anthropic.BetaMessageParamRoleAssistant, Content: []anthropic.BetaContentBlockParamUnion{thought, anthropic.NewBetaTextBlock("a")}},
		{Role: anthropic.BetaMessageParamRoleAssistant, Content: []anthropic.BetaContentBlockParamUnion{anthropic.NewBetaRedactedThinkingBlock("data")}},
	})
	if len(kept) != 2 || len(kept[1].Content) != 1 || kept[1].Content[0].OfText == nil {
		t.Errorf("kept are %+v", kept)
	}
}
