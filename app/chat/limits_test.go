package chat

import (
	"math"
	"slices"
	"strings"
	"testing"

	"agentflow/app"
	"agentflow/internal/price"
	"agentflow/internal/testing/modeltest"
)

// TestLimits stops models that never finish.
func TestLimits(t *testing.T) {
	forever := slices.Repeat([]modeltest.Turn{modeltest.Use("memory_search", input{"query": "x"})}, 4)
	t.Run("turns", func(t *testing.T) {
		u := newUser(t, forever...)
		a, err := u.begin(Options{MaxTurns: 4}).Ask(t.Context(), "q")
		wantKind(t, err, app.KindRefused, "did not finish within 4 turns")
		if a.Turns != 4 || len(u.requests()) != 4 {
			t.Errorf("%d turns, %d requests", a.Turns, len(u.requests()))
		}
		if body := string(u.requests()[3].Body); !strings.Contains(body, `"tool_choice":{"type":"none"}`) || strings.Contains(string(u.requests()[2].Body), "tool_choice") {
			t.Error("the last request offers tools")
		}
	})
	t.Run("cost", func(t *testing.T) {
		u := newUser(t, modeltest.Use("memory_search", input{"query": "x"}).Tokens(60_000), modeltest.Say("no"))
		_, err := u.begin(Options{MaxCost: 0.1}).Ask(t.Context(), "q")
		wantKind(t, err, app.KindRefused, "limit of cost is reached: 0.12 of 0.10")
		if len(u.requests()) != 1 {
			t.Errorf("%d requests", len(u.requests()))
		}
	})
	t.Run("after a limit it goes on", func(t *testing.T) {
		u := newUser(t, append(forever[:2:2], modeltest.Say("there"))...)
		_, err := u.begin(Options{MaxTurns: 2}).Ask(t.Context(), "q")
		wantKind(t, err, app.KindRefused, "")
		if a := u.ask(u.begin(Options{Continue: true}), "and now?"); a.Answer != "there" {
			t.Errorf("the answer is %+v", a)
		}
		u.wantPaired()
	})
}

// TestFullContext writes memory before older results are cleared.
func TestFullContext(t *testing.T) {
	search := modeltest.Use("memory_search", input{"query": "x"})
	u := newUser(t, search.Tokens(500), search.Tokens(850), search.Tokens(900), modeltest.Say("ok").Tokens(100))
	u.ask(u.begin(Options{ClearAt: 1000}), "q")
	for i, r := range u.requests() {
		if got, want := strings.Contains(string(r.Body), "nearly full"), i >= 2; got != want {
			t.Errorf("request %d: told %v", i, got)
		}
	}
	if n := strings.Count(string(u.requests()[3].Body), "nearly full"); n != 1 {
		t.Errorf("told %d times", n)
	}
}

// TestPrice checks the cost of answers, by the provider's list or by the user's prices.
func TestPrice(t *testing.T) {
	for _, test := range []struct {
		provider, model string
		own             price.List
		want            price.Price
	}{
		{"anthropic", "claude-sonnet-5-5", nil, price.Price{Input: 2, Output: 10, Cached: 0.2}},
		{"anthropic", "claude-sonnet-4-6", nil, price.Price{Input: 3, Output: 15, Cached: 0.3}},
		{"anthropic", "claude-haiku-4-5-20251001", nil, price.Price{Input: 1, Output: 5, Cached: 0.1}},
		{"anthropic", "claude-haiku-5-5", nil, price.Price{Input: 0.5, Output: 2.5, Cached: 0.05}},
		{"anthropic", "claude-opus-5-5", nil, price.Price{Input: 4, Output: 20, Cached: 0.4}},
		{"anthropic", "claude-opus-4-8", nil, price.Price{Input: 5, Output: 25, Cached: 0.5}},
		{"anthropic", "claude-opus-4-20250514", nil, fallbackPrice},
		{"anthropic", "claude-fable-5-1", nil, price.Price{Input: 10, Output: 50, Cached: 1}},
		{"anthropic", "something new", nil, fallbackPrice},
		{"bedrock", "eu.anthropic.claude-haiku-4-5-20251001-v1:0", nil, price.Price{Input: 1.1, Output: 5.5, Cached: 0.11}},
		{"bedrock", "global.anthropic.claude-haiku-4-5-20251001-v1:0", nil, price.Price{Input: 1, Output: 5, Cached: 0.1}},
		{"bedrock", "arn:aws:bedrock:eu-west-1:1:application-inference-profile/x", nil, price.Price{Input: 16.5, Output: 82.5, Cached: 1.65}},
		{"anthropic", "claude-haiku-4-5", price.List{"claude-haiku-4-5": {Input: 2, Output: 5}}, price.Price{Input: 2, Output: 5}},
		{"bedrock", "eu.anthropic.claude-haiku-4-5-20251001-v1:0", price.List{"eu.anthropic.claude-haiku-4-5-20251001-v1:0": {Input: 2, Output: 3}}, price.Price{Input: 2, Output: 3}},
	} {
		if got := priceOf(test.provider, test.model, test.own); !near(got, test.want) {
			t.Errorf("%s of %s costs %v, want %v", test.model, test.provider, got, test.want)
		}
	}
}

func near(a, b price.Price) bool {
	return math.Abs(a.Input-b.Input)+math.Abs(a.Output-b.Output)+math.Abs(a.Cached-b.Cached) < 1e-9
}

// TestWhatBreaksOffIsPaid: the tokens of an incomplete answer count, including those of its
// text, which the provider does not report in that case.
func TestWhatBreaksOffIsPaid(t *testing.T) {
	long := modeltest.Say(strings.Repeat("word ", 2000)).Tokens(1000)
	u := newUser(t, slices.Repeat([]modeltest.Turn{long.Cut()}, 3)...)
	a, err := u.begin(Options{}).Ask(t.Context(), "q")
	wantKind(t, err, app.KindUnavailable, "broke off")
	p := priceOf("anthropic", "claude-sonnet-5-5", nil)
	if least := 3 * (1000*p.Input + 2000*p.Output) / 1e6; a.CostUSD < least {
		t.Errorf("it cost %.4f, and is reckoned as %.4f", least, a.CostUSD)
	}
}
