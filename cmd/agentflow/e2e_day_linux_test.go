//go:build e2e

package main_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	. "agentflow/internal/testing/modeltest"
)

// shop is a small project with a fault: a discount of 100 % divides by zero.
var shop = map[string]string{
	"package.json": "{\"name\": \"shop\", \"private\": true, \"scripts\": {\"test\": \"node --test --test-reporter=dot\"}}\n",
	"checkout.js": `// taxOf is what each item bears of an order's tax, in cents.
export function taxOf(items, tax) {
  const total = items.reduce((sum, item) => sum + item.cents, 0)
  return items.map(item => Math.round(tax * item.cents / total))
}
`,
	"money.js": `// formatCents writes an amount in cents: 1250 is 12.50.
export const formatCents = cents => Math.floor(cents / 100) + '.' + String(cents % 100).padStart(2, '0')
`,
	"invoice.js": `import { formatCents } from './money.js'

export const line = item => item.name + ' ' + formatCents(item.cents)
`,
	"test/checkout.test.js": `import test from 'node:test'
import assert from 'node:assert'
import { taxOf } from '../checkout.js'

test('tax follows the prices', () => assert.deepEqual(taxOf([{ cents: 300 }, { cents: 100 }], 40), [30, 10]))
`,
}

// dayOfSessions returns the answers of the model on that day.
func (l *lab) dayOfSessions() Script {
	path := func(name string) string { return filepath.Join(l.project, name) }
	edit := func(name, before, after string) Turn {
		return Use("Edit", in{"file_path": path(name), "old_string": before, "new_string": after})
	}
	shell := func(command, about string) Turn { return Use("Bash", in{"command": command, "description": about}) }
	return Script{Main: []Turn{
		Use("Read", in{"file_path": path("checkout.js")}),
		edit("checkout.js", "  return items.map(item =>", "  if (total === 0) return items.map(() => Math.round(tax / items.length))\n  return items.map(item =>"),
		shell("npm test", "Run the tests"),
		Say("With a discount of 100 % all prices are 0, so `taxOf` divided by a total of 0 and the tax became NaN, which the bank refuses. `taxOf` in checkout.js now gives every item an equal part when the total is 0. " +
			"Returning no tax at all was the shorter way, but the invoice needs a line for each item. Orders of 0 are still sent to the bank: somebody has to decide whether they may skip it."),
		Use("Read", in{"file_path": path("invoice.js")}),
		edit("invoice.js", "formatCents(item.cents)", "formatCents(item.cents) + (item.discount ? ' (-' + (item.discount / 100).toFixed(2) + ')' : '')"),
		Say("The invoice shows the discount after the price."),
		edit("invoice.js", "(item.discount / 100).toFixed(2)", "formatCents(item.discount)"),
		shell("npm test", "Run the tests"),
		Say("`line` in invoice.js writes the discount behind the price with formatCents, as all amounts are written, because toFixed works on floats and rounds 1.005 down. An item without a discount is written as before. There is no test of invoices yet."),
		shell("git commit -q -a -m 'invoice: show the discount of an item'", "Commit"),
		Say("Committed."),
		Say("Because of free orders: with a discount of 100 % every price is 0, and the tax of an item is the tax times its price divided by the total, which is NaN for a total of 0. So `taxOf` gives equal parts then. " +
			"Rounding can lose a cent in both branches, since each part is rounded by itself; I would keep that until somebody needs exact sums."),
	}}
}

// day writes down the memory that a day's sessions got and left.
type day struct {
	*lab
	text   strings.Builder
	given  int    // number of this session's contexts already written
	memory string // the text of memory already written
}

// begins starts a new session of a person at a terminal.
func (d *day) begins(title, id string) person {
	fmt.Fprintf(&d.text, "%s\n%s\n", title, strings.Repeat("=", len(title)))
	d.given = 0
	return d.sits("--session-id", id)
}

// asks types a prompt, and writes down the context sent with it.
func (d *day) asks(p person, prompt string) {
	d.Helper()
	n := len(d.server.Requests(Main))
	p.asks(prompt, "Stop")
	contexts := contextsOf(d.server.Requests(Main)[n])
	for _, c := range contexts[min(d.given, len(contexts)):] {
		fmt.Fprintf(&d.text, "\n[sent: %s]\n%s\n", c.event, c.text)
	}
	d.given = len(contexts)
	fmt.Fprintf(&d.text, "\n[the person asks] %s\n", prompt)
}

// leaves ends the session, and writes down what the session left.
func (d *day) leaves(p person) {
	d.Helper()
	p.leaves()
	now := d.lab.memory()
	left := strings.TrimSpace(strings.TrimPrefix(now, d.memory))
	if left == "" {
		left = "nothing"
	}
	d.memory = now
	fmt.Fprintf(&d.text, "\n[it left]\n%s\n\n", left)
}

// given is the context that a hook added to a conversation.
type given struct{ event, text string }

var hookContext = regexp.MustCompile(`(?s)(SessionStart|UserPromptSubmit) hook additional context: (<agentflow_memory>.*?</agentflow_memory>(?:\n[^\n<]+)*)`)

func contextsOf(r Request) (list []given) {
	for _, m := range r.Messages {
		for _, c := range m.Content {
			for _, found := range hookContext.FindAllStringSubmatch(c.Text, -1) {
				list = append(list, given{found[1], found[2]})
			}
		}
	}
	return list
}

// changing matches text that differs from day to day: ids, dates, times and costs.
var changing = regexp.MustCompile(`[0-9a-f]{6,}(-[0-9a-f]{4,})*|\d{4}-\d\d-\d\d(T[0-9:]+Z)?|\d\d:\d\d|seconds=\d+|\d+ tokens`)

const (
	dayFile  = "../../docs/sessions.md"
	dayBegin = "<!-- a day, as it was -->\n```text\n"
	dayEnd   = "```\n"
)

var update = flag.Bool("update", false, "write the day into docs/sessions.md")

// isInDocs compares the day with the one in the documentation, or writes it there.
func (d *day) isInDocs() {
	d.Helper()
	data, err := os.ReadFile(dayFile)
	d.must(err)
	before, rest, found := strings.Cut(string(data), dayBegin)
	old, after, closed := strings.Cut(rest, dayEnd)
	if !found || !closed {
		d.Fatalf("%s has no day", dayFile)
	}
	now := strings.TrimRight(d.text.String(), "\n") + "\n"
	if *update {
		d.must(os.WriteFile(dayFile, []byte(before+dayBegin+now+dayEnd+after), 0o644))
		return
	}
	if got, want := changing.ReplaceAllString(now, "~"), changing.ReplaceAllString(old, "~"); got != want {
		d.Errorf("the day was\n%s\nand in %s it is\n%s", got, dayFile, want)
	}
}

// TestE2EADay is a day of three sessions of the real CLI: the memory that each got and
// left, as in docs/sessions.md.
func TestE2EADay(t *testing.T) {
	l := newLab(t, tools{claude: claudeCLI(t), agentflow: build(t)})
	for name, text := range shop {
		l.write(name, text)
	}
	l.git("add", "-A")
	l.git("commit", "-q", "-m", "the shop")
	l.answer(l.dayOfSessions())
	l.hookSettings("Bash(npm test)", "Bash(git commit *)", "Edit", "Read")
	l.countHooks()
	l.extra = []string{"NPM_CONFIG_UPDATE_NOTIFIER=false"} // which asks the network
	l.config("[session]\ndeadline = \"10s\"\n")            // the content counts here, also on a busy machine
	l.run(0, "init")
	l.run(0, "remember", "Prices are integers in cents, never floats.")
	l.run(0, "remember", "Run the tests with npm test. A test that needs the bank's sandbox is called *.bank.js.")

	d := &day{lab: l, memory: l.memory()}
	p := d.begins("First session", "00000000-0000-4000-8000-000000000001")
	d.asks(p, "An order with a discount of 100 % fails at checkout. Find out why and fix it")
	l.git("commit", "-q", "-a", "-m", "Share tax equally when the total is 0")
	d.text.WriteString("\n[the person commits] git commit -a -m 'Share tax equally when the total is 0'\n")
	d.leaves(p)

	p = d.begins("Second session", "00000000-0000-4000-8000-000000000002")
	d.asks(p, "Show the discount of an item on the invoice")
	d.asks(p, "No, amounts always go through formatCents, never toFixed. Run the tests, too")
	d.asks(p, "Commit that")
	d.leaves(p)

	p = d.begins("Third session", "00000000-0000-4000-8000-000000000003")
	d.asks(p, "Why does taxOf treat a total of 0 differently?")
	d.leaves(p)
	d.isInDocs()
}
