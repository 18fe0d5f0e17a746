package files

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"agentflow/index/contents"
	"agentflow/internal/roles"
)

// reason is one kind of why: the features that speak for it, and its words for a
// file, empty where it has none.
type reason struct {
	features []string
	words    func(r *Ranked, place int32) string
}

// reasons lists the reasons for which a file may be shown. A fresh file, or one of a likely kind
// or scope, is not shown for that reason only.
var reasons = []reason{
	{[]string{"quoted", "traced", "dotted"}, (*Ranked).whyExact},
	{[]string{"holds", "opening", "defines", "symbols"}, (*Ranked).whyInside},
	{[]string{"path", "base"}, (*Ranked).whyNamed},
	{[]string{"relevance", "titles"}, (*Ranked).whySimilar},
	{[]string{"together", "folder"}, (*Ranked).whyTogether},
}

// why returns the strongest reason for a file.
func (r *Ranked) why(place int32, parts Weights) string {
	why, most := "", 0.0
	for _, reason := range reasons {
		part := 0.0
		for i, f := range features {
			for _, name := range reason.features {
				if f.name == name {
					part += parts[i]
				}
			}
		}
		if part <= most {
			continue
		}
		if words := reason.words(r, place); words != "" {
			why, most = words, part
		}
	}
	return why
}

// whyInside names the identifier of the task that the file defines, or else the most telling word of
// the task in a name that it defines or in its text. It is a word of the task, not of the file. In a document "type" and "record"
// precede words that it does not define.
func (r *Ranked) whyInside(place int32) string {
	known := r.m.contents
	if known == nil {
		return ""
	}
	if r.m.paths[place].role != roles.Document {
		if name := r.symbol(place); name != "" {
			return "defines " + name
		}
		if word := r.rarest(place, definedBy); word != "" {
			return fmt.Sprintf("defines a name with %q", word)
		}
	}
	if word := r.rarest(place, heldBy); word != "" {
		return "contains " + word
	}
	return ""
}

// whyExact says how the task names a file.
func (r *Ranked) whyExact(place int32) string {
	switch x := r.m.exact; {
	case x.traced[place] > 0:
		return "in the stack trace"
	case x.quoted[place] > 0:
		return "named in the task"
	case x.dotted[place] > 0:
		return "a module that the task names"
	}
	return ""
}

// symbol returns the identifier of the task that a file defines and the fewest others do.
func (r *Ranked) symbol(place int32) string {
	name, fewest := "", mostDefining+1
	for i, t := range r.m.contents.symbols {
		if len(t.Held) < fewest && slices.ContainsFunc(t.Held, func(n int) bool { return r.m.contents.place[n] == place }) {
			name, fewest = r.m.query.named.Symbols[i].Text, len(t.Held)
		}
	}
	return name
}

// rarest returns the word of the task that the fewest files have, of the words in this
// file.
func (r *Ranked) rarest(place int32, of func(contents.Term) []int) string {
	word, fewest := "", math.MaxInt
	for i, t := range r.m.contents.words {
		files := of(t)
		if len(files) >= fewest {
			continue
		}
		for _, n := range files {
			if r.m.contents.place[n] == place {
				word, fewest = r.m.query.spelled(i), len(files)
				break
			}
		}
	}
	return word
}

// whyNamed returns the rarest word of the task in the path.
func (r *Ranked) whyNamed(place int32) string {
	weight := r.m.pathRarity()
	word, most := "", 0.0
	for t := r.m.paths[place].words; t != 0; t = t.rest() {
		if i := t.first(); weight[i] > most {
			word, most = r.m.query.spelled(i), weight[i]
		}
	}
	if word == "" {
		return ""
	}
	return fmt.Sprintf("%q", word) + inPath
}

// inPath ends the reason of a file that shares a word with the task in its path only. Of such files
// that prompts showed for 436 later commits of five repositories, one of six was right.
const inPath = " is in its path"

func isNamed(why string) bool { return strings.HasSuffix(why, inPath) }

// whySimilar counts the entries found that name the file and are half as relevant
// as the best, or more.
func (r *Ranked) whySimilar(place int32) string {
	best := 0.0
	for _, v := range r.m.voters {
		best = max(best, v.relevance)
	}
	n := 0
	for _, v := range r.m.voters {
		for _, p := range v.paths {
			if p == place && v.relevance >= best/2 && v.relevance > 0 {
				n++
			}
		}
	}
	switch n {
	case 0:
		return ""
	case 1:
		return "a similar task changed it"
	}
	return fmt.Sprintf("%d similar tasks changed it", n)
}

// whyTogether names the file that was most often changed together with this one, of the files
// that the task is most likely about.
func (r *Ranked) whyTogether(place int32) string {
	seeds := r.m.seeds()
	with := map[int32]float64{}
	r.m.overEntries(200, func(e *entry, left float64) {
		paths := r.m.pathsOf(e)
		for _, p := range paths {
			if p != place {
				continue
			}
			for _, other := range paths {
				with[other] += seeds[other] * left * e.weight
			}
		}
	})
	best, most := int32(-1), 0.0
	for p, x := range with {
		if p != place && (x > most || x == most && x > 0 && p < best) && r.isThere(p) {
			best, most = p, x
		}
	}
	if best < 0 {
		return ""
	}
	return "often changed together with " + string(r.m.paths[best].name)
}

// spelled returns the word of a stem as the task has it.
func (q *Query) spelled(i int) string {
	word := q.words[i].Text
	if at := strings.Index(strings.ToLower(q.text), word); at >= 0 && len(strings.ToLower(q.text)) == len(q.text) {
		return q.text[at : at+len(word)]
	}
	return word
}
