package consolidate

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// year is a generated memory, with the expected properties of its facts.
type year struct {
	files map[string][]byte
	texts map[string]string   // of all facts, by id, as a person left them
	same  map[string]int      // facts with one number say the same
	keyed map[string][]string // ids by key, the oldest first
	gone  map[string]bool     // ids that hold no longer: struck by hand, or expired
	near  []string            // ids of facts that differ from another one in a number, identifier or negation
	kinds map[string]int      // how many of each sort were planted
}

var (
	components = strings.Fields("auth billing booking cache catalog checkout cron dashboard deploy docs email export feed gateway graph import index invoice ledger login mailer media metrics mobile orders payments pricing proxy queue report router scheduler search session settings shipping signup sitemap staging storage sync tenant theme token tracing upload users vault webhook worker")
	parts_     = strings.Fields("adapter builder buffer client config decoder encoder fixture handler helper hook iterator job layer listener loader logger manager mapper middleware migration mock monitor parser policy pool producer registry renderer resolver runner schema serializer server service snapshot store stream template test timer validator watcher writer")
	verbs      = strings.Fields("reads writes retries drops caches validates locks refreshes flushes skips batches signs compresses rejects copies renames")
	objects    = strings.Fields("rows headers cookies uploads messages timestamps locales currencies partitions cursors invoices previews fixtures secrets symlinks checksums")
	reasons    = []string{"because the vendor asks for it", "since the March outage", "to keep the nightly build quick", "so that replays stay cheap", "as the auditors want",
		"whenever the region changes", "while a migration runs", "after a cold start", "before the cutover", "for the mobile team"}
)

// newYear plants 6,000 facts in 2,000 runs of the year before end.
func newYear(seed uint64, end time.Time, facts int) *year {
	g := &yearMaker{r: rand.New(rand.NewPCG(seed, 7)), end: end, used: map[string]bool{},
		year: &year{files: map[string][]byte{}, texts: map[string]string{}, same: map[string]int{}, keyed: map[string][]string{}, gone: map[string]bool{}, kinds: map[string]int{}}}
	runs := facts / 3
	step := 365 * 24 * time.Hour / time.Duration(runs)
	for n := range runs {
		g.run(n, end.Add(-time.Duration(runs-n)*step))
	}
	g.files["MEMORY.md"] = []byte("# Project\n\nWhat a person wrote.\n\n## Conventions\n\n- Be kind in reviews.\n" + markdown.FormatFact(g.fact(end.AddDate(0, -2, 0), g.fresh(), 0.7)) + "\n```\nnot a list\n```\n")
	return g.year
}

type yearMaker struct {
	*year
	r     *rand.Rand
	end   time.Time
	used  map[string]bool
	bases []base // what was said so far and may be said again
	n     int    // facts so far
	said  int    // different ones so far
}

type base struct {
	text string
	same int
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// fresh returns a text that differs from all before.
func (g *yearMaker) fresh() string {
	for {
		text := fmt.Sprintf("The %s %s %s %s %s.", pick(g.r, components), pick(g.r, parts_), pick(g.r, verbs), pick(g.r, objects), pick(g.r, reasons))
		switch g.r.IntN(4) {
		case 0:
			text = fmt.Sprintf("The %s %s waits %d seconds and never %s %s.", pick(g.r, components), pick(g.r, parts_), 2+g.r.IntN(500), pick(g.r, verbs), pick(g.r, objects))
		case 1:
			text = fmt.Sprintf("Set `%s_%s` in config/%s.toml, or the %s %s %s.", strings.ToUpper(pick(g.r, components)), strings.ToUpper(pick(g.r, parts_)), pick(g.r, components), pick(g.r, parts_), pick(g.r, verbs), pick(g.r, objects))
		}
		if !g.used[text] {
			g.used[text] = true
			return text
		}
	}
}

// fact adds a fact with a new text.
func (g *yearMaker) fact(when time.Time, text string, importance float64) memory.Fact {
	g.said++
	return g.again(when, text, g.said, importance)
}

// again adds a text with the same meaning as number same.
func (g *yearMaker) again(when time.Time, text string, same int, importance float64) memory.Fact {
	g.n++
	f := memory.Fact{ID: fmt.Sprintf("01990000-0000-7000-9000-%012x", g.n), Type: memory.Semantic, Importance: importance, Text: text, Created: when.UTC().Truncate(time.Second)}
	g.texts[f.ID], g.same[f.ID] = text, same
	return f
}

// run writes the entry of one run, with three facts.
func (g *yearMaker) run(n int, when time.Time) {
	e := memory.Entry{ID: fmt.Sprintf("01990000-0000-7000-8000-%012x", n), Kind: memory.KindRun, Time: when, Title: "Work on the " + pick(g.r, components), Base: "c0ffee00", Summary: "Did what was asked."}
	for range 3 {
		f := g.next(when)
		f.Source = e.ID
		e.Facts = append(e.Facts, f)
	}
	name := when.Format(time.DateOnly) + ".md"
	if g.files[name] == nil {
		g.files[name] = []byte("# " + when.Format(time.DateOnly) + "\n\n")
	}
	g.files[name] = append(g.files[name], markdown.Format(e)...)
	if g.r.IntN(20) == 0 {
		g.files[name] = append(g.files[name], "A remark by hand: *look at this again*.\n\n"...)
	}
}

// next adds a fact of a run: usually a new one, otherwise a kind of repetition.
func (g *yearMaker) next(when time.Time) memory.Fact {
	importance := float64(2+g.r.IntN(6)) / 10
	if g.r.IntN(100) < 3 {
		importance = 0.9
	}
	sort := g.r.IntN(100)
	if len(g.bases) < 50 {
		sort = 0
	}
	switch {
	case sort < 45:
		b := base{g.fresh(), g.said + 1}
		g.bases = append(g.bases, b)
		g.kinds["new"]++
		return g.fact(when, b.text, importance)
	case sort < 57:
		b := pick(g.r, g.bases)
		g.kinds["exact duplicates"]++
		return g.again(when, b.text, b.same, importance)
	case sort < 72:
		b := pick(g.r, g.bases)
		g.kinds["normalised duplicates"]++
		return g.again(when, respell(g.r, b.text), b.same, importance)
	case sort < 78:
		return g.other("paraphrases", when, importance, rephrase)
	case sort < 84:
		return g.other("another number or identifier", when, importance, renumber)
	case sort < 89:
		return g.other("negated", when, importance, negate)
	case sort < 95:
		return g.value(when, importance)
	case sort < 97:
		g.kinds["expired"]++
		f := g.fact(when, g.fresh(), importance)
		f.Expires = when.AddDate(0, 0, 5).UTC().Truncate(time.Second)
		g.gone[f.ID] = !g.end.Before(f.Expires)
		return f
	default:
		return g.byHand(when, importance)
	}
}

// other adds a text that is similar to an earlier one, but has another meaning.
func (g *yearMaker) other(kind string, when time.Time, importance float64, turn func(r *rand.Rand, text string) string) memory.Fact {
	for {
		if text := turn(g.r, pick(g.r, g.bases).text); text != "" && !g.used[text] {
			g.used[text] = true
			g.kinds[kind]++
			f := g.fact(when, text, importance)
			if kind != "paraphrases" {
				g.near = append(g.near, f.ID)
			}
			return f
		}
	}
}

// value plants a value of a key.
func (g *yearMaker) value(when time.Time, importance float64) memory.Fact {
	g.kinds["values of a key"]++
	key := pick(g.r, components) + "." + pick(g.r, parts_[:3])
	f := g.fact(when, fmt.Sprintf("The limit of %s is %d.", key, 1000+g.n), importance)
	f.Key = key
	g.keyed[key] = append(g.keyed[key], f.ID)
	return f
}

// byHand plants a fact that a person struck or put in other words.
func (g *yearMaker) byHand(when time.Time, importance float64) memory.Fact {
	f := g.fact(when, g.fresh(), importance)
	if g.r.IntN(2) == 0 {
		g.kinds["struck by hand"]++
		f.Struck, g.gone[f.ID] = true, true
		return f
	}
	g.kinds["reworded by hand"]++
	f.Text = strings.TrimSuffix(f.Text, ".") + ", and say so in the log"
	g.texts[f.ID] = f.Text
	return f
}

// respell changes case, space, punctuation and articles, but not the meaning. It does not
// change identifiers, paths and numbers.
func respell(r *rand.Rand, text string) string {
	list := strings.Fields(text)
	for i, w := range list {
		if strings.ContainsAny(w, "`_/0123456789") || w == "a" { // A may be a name
			continue
		}
		switch {
		case r.IntN(4) == 0:
			list[i] = strings.ToUpper(w)
		case r.IntN(6) == 0:
			list[i] = "**" + w + "**"
		}
	}
	text = strings.Join(list, strings.Repeat(" ", 1+r.IntN(2)))
	switch r.IntN(4) {
	case 0:
		text = strings.TrimSuffix(text, ".") + "!"
	case 1:
		text = strings.Replace(text, "The ", "", 1)
	case 2:
		text = strings.Replace(text, " and never ", ", and never ", 1)
	default:
		text = "  " + strings.ReplaceAll(text, ",", " –")
	}
	return strings.TrimSpace(text)
}

func rephrase(r *rand.Rand, text string) string {
	list := strings.Fields(strings.TrimSuffix(text, "."))
	if len(list) < 6 || list[0] != "The" {
		return ""
	}
	return fmt.Sprintf("In the %s, it is the %s that %s.", list[1], list[2], strings.Join(list[3:], " "))
}

func renumber(r *rand.Rand, text string) string {
	list := strings.Fields(text)
	for i, w := range list {
		switch {
		case strings.Trim(w, "0123456789") == "":
			list[i] = fmt.Sprint(1000 + r.IntN(9000))
			return strings.Join(list, " ")
		case strings.HasPrefix(w, "`") && strings.HasSuffix(w, "`"):
			list[i] = "`" + strings.Trim(w, "`") + fmt.Sprintf("_V%d`", r.IntN(99))
			return strings.Join(list, " ")
		}
	}
	return ""
}

func negate(_ *rand.Rand, text string) string {
	for _, v := range verbs {
		if strings.Contains(text, " never "+v+" ") {
			return strings.Replace(text, " never "+v+" ", " "+v+" ", 1)
		}
		if strings.Contains(text, " "+v+" ") {
			return strings.Replace(text, " "+v+" ", " never "+v+" ", 1)
		}
	}
	return ""
}
