package factfit

import (
	"slices"

	"agentflow/index/factrank"
	"agentflow/internal/eval/factset"
)

// Budget limits the tokens of facts in a prompt.
const Budget = 1200

// Shown counts the facts that tasks need, those of them that were shown, and the tokens of all
// shown facts.
type Shown struct{ Tasks, Needed, Shown, Tokens float64 }

// Share returns the share of needed facts that were shown.
func (s Shown) Share() float64 { return s.Shown / max(1, s.Needed) }

// Figures are the counts for the tasks of each kind. "" stands for all kinds except foreign.
type Figures map[factset.TaskKind]Shown

// Choose returns the facts to show for a task within a budget of tokens.
type Choose func(task factrank.Task, tokens []int, budget int) []int

// Measure returns the figures of the facts chosen for all tasks that need one.
func (m *Memory) Measure(choose Choose) Figures {
	f := Figures{}
	for _, t := range m.Tasks {
		if len(t.Needs) > 0 {
			shown := choose(t.Task, m.Tokens, Budget)
			f.add(t.Kind, t, shown, m.Tokens)
			f.add("", t, shown, m.Tokens)
		}
	}
	return f
}

func (f Figures) add(kind factset.TaskKind, t Task, shown, tokens []int) {
	s := f[kind]
	s.Tasks++
	s.Needed += float64(len(t.Needs))
	for _, i := range shown {
		s.Tokens += float64(tokens[i])
		if slices.Contains(t.Needs, i) {
			s.Shown++
		}
	}
	f[kind] = s
}

// Added counts what prompts add to the facts that the start of a session showed.
type Added struct {
	Foreign float64 // share of foreign tasks to which facts are added
	Needed  float64 // share of needed facts that are shown at the start or added
	Start   float64 // share of needed facts that are shown at the start
	Tokens  float64 // added per task that is not foreign
}

// start returns the set of facts that the start of a session shows.
func (m *Memory) start(matcher *factrank.Matcher) map[int]bool {
	shown := map[int]bool{}
	for _, i := range matcher.Select(factrank.Task{}, m.Tokens, Budget) {
		shown[i] = true
	}
	return shown
}

// Add returns the figures of the facts that prompts add.
func (m *Memory) Add(matcher *factrank.Matcher) (a Added) {
	shown := m.start(matcher)
	foreign, own, needed := 0.0, 0.0, 0.0
	for _, t := range m.Tasks {
		added := matcher.Relevant(t.Task, shown)
		if t.Kind == factset.Foreign {
			foreign++
			a.Foreign += float64(min(1, len(added)))
			continue
		}
		own++
		for _, i := range added {
			a.Tokens += float64(m.Tokens[i])
		}
		for _, i := range t.Needs {
			needed++
			if shown[i] {
				a.Start++
			}
			if shown[i] || slices.Contains(added, i) {
				a.Needed++
			}
		}
	}
	return Added{a.Foreign / max(1, foreign), a.Needed / max(1, needed), a.Start / max(1, needed), a.Tokens / max(1, own)}
}
