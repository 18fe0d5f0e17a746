//go:build e2e

package page_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"agentflow/internal/testing/labtest"
	"agentflow/memory"
	"agentflow/memory/changeset"
	"agentflow/memory/markdown"
)

// past is a run of an earlier day.
type past struct {
	days, minutes int // before today's noon, and how long it took in minutes
	task, said    string
	outcome       memory.Outcome
	cost          float64
	changes       string // "M path +1 -2", by commas
	facts         []memory.Fact
}

func fact(kind memory.FactType, importance float64, key, tags, text string) memory.Fact {
	return memory.Fact{Type: kind, Importance: importance, Key: key, Tags: strings.Fields(tags), Text: text}
}

// pastRuns lists a month of runs of a web shop.
var pastRuns = []past{
	{1, 9, "The search of products ignores umlauts", "Terms are folded with golang.org/x/text before they are matched; \"Müsli\" and \"Musli\" find the same.", memory.OutcomeOK, 0.21, "M catalog/search.go +31 -8,A catalog/fold.go +44",
		[]memory.Fact{fact(memory.Semantic, 0.6, "search folding", "catalog search", "Product search folds case and accents in catalog/fold.go; the index has to be rebuilt when the folding changes.")}},
	{1, 4, "Why does `make lint` fail on main?", "staticcheck was updated in the image, and finds two unused parameters. Both are gone.", memory.OutcomeOK, 0.05, "M cart/price.go +1 -1,M auth/session.go +2 -2", nil},
	{2, 22, "Move the session store from memory to Redis", "Sessions live in Redis with a TTL of 12 hours. The login test uses miniredis, so it needs no server.", memory.OutcomeOK, 0.83, "M auth/session.go +58 -41,A auth/redis.go +97,M auth/login_test.go +33 -12,M go.mod +2,M deploy/compose.yaml +9",
		[]memory.Fact{fact(memory.Semantic, 0.8, "session store", "auth redis", "Sessions are kept in Redis for 12 hours; nothing may be kept in the memory of a server, there are three of them."), fact(memory.Procedural, 0.6, "", "testing redis", "Tests that need Redis start miniredis: see newRedis in auth/login_test.go.")}},
	{3, 31, "Upgrade to Go 1.26 and the new router", "The router's patterns took over what our middleware did for methods. Two handlers still need the old one.", memory.OutcomeTimeout, 1.42, "M go.mod +1 -1,M http/routes.go +71 -118,D http/methods.go -64", nil},
	{4, 6, "The CSV export misses orders of the last day", "The range ended at midnight UTC, and orders are dated in the shop's zone. Until is exclusive now and in that zone.", memory.OutcomeOK, 0.12, "M export/orders.go +7 -5,M export/orders_test.go +28",
		[]memory.Fact{fact(memory.Semantic, 0.7, "time zone", "orders export", "Orders are dated in the shop's own time zone, never in UTC; reports that cut by day must use shop.Zone.")}},
	{6, 14, "Make the flaky login test reliable", "It raced the real clock. Expired takes the time, and the test sets it.", memory.OutcomeOK, 0.19, "M auth/session.go +6 -4,M auth/login_test.go +21 -17",
		[]memory.Fact{fact(memory.Procedural, 0.8, "login test", "testing auth", "The login test depends on the clock: pass the time in, and never wait for real time.")}},
	{6, 3, "Say in the README how to start the shop", "`docker compose up` and the two variables that it needs are in the README.", memory.OutcomeOK, 0.03, "M README.md +18 -2", nil},
	{8, 18, "Add a discount code to the checkout", "Codes are checked when the order is placed, not when they are typed, so that one that ran out meanwhile is refused.", memory.OutcomeOK, 0.64, "A cart/discount.go +112,M cart/cart.go +24 -9,M http/checkout.go +37 -6,A cart/discount_test.go +143",
		[]memory.Fact{fact(memory.Semantic, 0.6, "discount codes", "cart", "A discount code is checked when the order is placed; the price shown before is only a preview.")}},
	{9, 2, "Delete the old importer", "It is still used by the nightly job, so I left it and say so here.", memory.OutcomeFailed, 0.04, "",
		[]memory.Fact{fact(memory.Episodic, 0.5, "", "import", "Deleting importer/ broke the nightly job in March: cron/nightly.sh still calls it.")}},
	{11, 11, "Prices with tax differ by a cent between cart and invoice", "The cart rounded each line, the invoice the sum. Both round the sum now, half to even.", memory.OutcomeOK, 0.33, "M cart/price.go +19 -14,M invoice/total.go +11 -8,M invoice/total_test.go +40",
		[]memory.Fact{fact(memory.Semantic, 0.9, "rounding", "payments invoice", "Money is int64 cents everywhere; round once, on the sum, half to even. Never use float64 for it.")}},
	{13, 7, "Log slow queries", "Queries above 200 ms are logged with their plan.", memory.OutcomeOK, 0.11, "M db/log.go +38,M db/open.go +4 -1", nil},
	{15, 16, "Replace the hand-written migrations by goose", "The migrations run before the server starts, in a container of their own.", memory.OutcomeOK, 0.48, "A db/migrations/0001_orders.sql +40,A db/migrations/0002_codes.sql +12,D db/migrate.go -131,M deploy/compose.yaml +14 -3",
		[]memory.Fact{fact(memory.Procedural, 0.8, "migrations", "db deploy", "Migrations run before the server starts, in the container `migrate`, and never beside it.")}},
	{18, 5, "The mail of an order has the wrong sender", "SENDER was read before the settings were loaded.", memory.OutcomeOK, 0.08, "M mail/send.go +3 -3", nil},
	{21, 27, "Let customers change their address after the order", "An address can be changed until the parcel is handed over. The carrier is asked first.", memory.OutcomeInterrupted, 0.71, "M orders/address.go +83 -12,M carrier/client.go +29", nil},
	{24, 8, "Keep secrets out of the logs", "Headers and bodies are filtered by name before they are logged.", memory.OutcomeOK, 0.17, "M http/log.go +42 -7",
		[]memory.Fact{fact(memory.Procedural, 0.7, "", "logging security", "Log requests through http/log.go alone: it filters Authorization, Cookie and fields that look like cards.")}},
	{27, 12, "Set up the CI", "CI runs vet, staticcheck and the tests under the race detector, in about four minutes.", memory.OutcomeOK, 0.29, "A .ci/run +31,M Makefile +22",
		[]memory.Fact{fact(memory.Procedural, 0.6, "ci", "ci testing", "CI runs `make lint test race`; run `make lint` before you push, staticcheck is stricter there.")}},
}

// told lists the facts that a user tells memory today.
var told = []memory.Fact{
	fact(memory.Semantic, 0.5, "session store", "auth", "Sessions are kept in the memory of the server."),
	fact(memory.Semantic, 0.7, "", "payments", "The payment provider's sandbox declines cards whose number ends in 0002; use it to test failures."),
	fact(memory.Procedural, 0.6, "deploy", "deploy", "Deploy with `make ship`; it waits for the health check of each of the three servers."),
	fact(memory.Procedural, 0.5, "deploy", "deploy", "Deploy by merging to the branch `live`; the pipeline does the rest."),
	fact(memory.Semantic, 0.4, "", "catalog", "The catalogue holds about 40,000 products, and one import a night changes 2,000 of them."),
	fact(memory.Episodic, 0.6, "", "redis incident", "On 3 November Redis was full and all logins failed for 20 minutes: eviction is `volatile-ttl` since."),
	fact(memory.Semantic, 0.5, "", "carrier", "The carrier's API allows 10 requests a second; the client in carrier/client.go waits for its turn."),
	fact(memory.Procedural, 0.5, "", "testing", "Fixtures are in testdata/orders.json; write them anew with `go test ./orders -update`."),
	fact(memory.Semantic, 0.6, "owner of invoices", "invoice people", "Ask Ines before the layout of invoices is changed: the tax office approved this one."),
	fact(memory.Semantic, 0.3, "", "frontend", "Product pictures are served by the CDN; /static of the server is for development alone."),
}

const lasting = `# Memory

- Money is int64 cents everywhere. <!-- importance=0.9 -->
- Run ` + "`make lint`" + ` before you push.

## How we work

- A handler parses, asks one function of a package, and writes. Rules live in packages, never in handlers.
- Errors that customers see are written in messages.toml, in four languages.
`

// newLived returns the memory of a shop after a month of work. The runs of
// today are a scripted agent's; one of them continues until the test ends.
func newLived(t *testing.T) *labtest.Lab {
	t.Helper()
	script, err := os.ReadFile("testdata/lived/script.txt")
	if err != nil {
		t.Fatal(err)
	}
	l := labtest.New(t, string(script))
	l.Settings("[[schedule]]\nname = \"tidy\"\ncron = \"30 3 * * *\"\njob = \"consolidate\"\n")
	l.Write("webhook/deliver.go", "package webhook\n\n// Deliver posts an event to its receiver.\nfunc Deliver(e Event) error {\n\treturn post(e.URL, e.Body)\n}\n")
	l.Write("invoice/total.go", "package invoice\n\nfunc total(cents, tax int64) float64 {\n\treturn float64(cents) / 100\n}\n")
	l.Write("cart/cart.go", "package cart\n\n// Cart is what a customer wants to buy.\ntype Cart struct{ cents int64 }\n")
	noon := time.Now().Truncate(24 * time.Hour).Add(12 * time.Hour)
	for i, subject := range []string{"shop: the first handlers", "cart: prices in cents", "carrier: client with a limit of requests"} {
		at := noon.AddDate(0, 0, -26+7*i).Format(time.RFC3339)
		here := l.With("GIT_AUTHOR_DATE="+at, "GIT_COMMITTER_DATE="+at)
		here.Write(fmt.Sprintf("doc/%d.md", i), subject+"\n")
		here.Git("add", "-A")
		here.Git("commit", "-qm", subject)
	}
	l.Agentflow("init")
	l.Agentflow("hook", "install")
	l.Agentflow("backfill")
	writePast(t, l, noon)
	l.Write(".agentflow/memory/MEMORY.md", lasting)
	for _, f := range told {
		l.Agentflow("remember", "--type", string(f.Type), "--importance", fmt.Sprint(f.Importance), "--tags", strings.Join(f.Tags, ","), "--key", f.Key, f.Text)
	}
	l.Agentflow("run", "-q", "The webhook is delivered twice: Redis and the session store are fine")
	_ = l.Command("run", "-q", "Totals in the invoice are rounded wrongly, by a cent").Run() // it fails
	p := l.Start("run", "-q", "Bring the coverage of the cart to ninety percent")
	l.AwaitFile("../waiting")
	t.Cleanup(func() {
		l.Write("../go-on", "")
		_ = p.Wait()
	})
	return l
}

// writePast writes the runs of earlier days, as their own commands would have.
func writePast(t *testing.T, l *labtest.Lab, noon time.Time) {
	t.Helper()
	seed := rand.NewChaCha8([32]byte{7})
	days := map[string][]byte{}
	id := func(at time.Time) string {
		text, err := memory.NewID(at, seed)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	for i, p := range pastRuns {
		at := noon.AddDate(0, 0, -p.days).Add(time.Duration(i*37%300) * time.Minute)
		e := memory.Entry{ID: id(at), Kind: memory.KindRun, Time: at, Title: memory.Title(p.task), Agent: "claude", Model: "claude-opus-4-8", Branch: "main", Task: p.task, Summary: p.said,
			Result: &memory.Result{Outcome: p.outcome, Success: p.outcome == memory.OutcomeOK, Duration: time.Duration(p.minutes*60+i) * time.Second, Turns: 3 + p.minutes, CostUSD: p.cost}}
		for _, text := range strings.Split(p.changes, ",") {
			c := changeset.Change{Counted: true, Certainty: changeset.Shown}
			for n, word := range strings.Fields(text) {
				switch {
				case n == 0:
					c.Status = changeset.Status(word[0])
				case word[0] == '+':
					fmt.Sscan(word[1:], &c.Added)
				case word[0] == '-':
					fmt.Sscan(word[1:], &c.Deleted)
				default:
					c.Path = word
				}
			}
			if c.Path != "" {
				e.Changes.Items = append(e.Changes.Items, c)
			}
		}
		for _, f := range p.facts {
			f.ID, f.Created = id(at.Add(time.Minute)), at
			e.Facts = append(e.Facts, f)
		}
		name := memory.DayFile(at)
		if days[name] == nil {
			days[name] = fmt.Appendf(nil, "# %s\n\n", at.Format(time.DateOnly))
		}
		days[name] = append(days[name], markdown.Format(e)...)
	}
	for name, text := range days {
		if l.Exists(".agentflow/memory/" + name) {
			text = append([]byte(l.Read(".agentflow/memory/"+name)), text[strings.Index(string(text), "\n\n")+2:]...)
		}
		l.Write(".agentflow/memory/"+name, string(text))
	}
}
