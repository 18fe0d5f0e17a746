package rank

import (
	"math"

	"agentflow/internal/words"
)

// Knowledge is the evidence that memory holds the subject of a query.
type Knowledge struct {
	// Evidence is the most that one of the GateLook most relevant texts has, and up to
	// half more for words in its title.
	Evidence float64
	// File is the chance of the file that the task will most likely touch, 0 to 1; 0
	// where memory names no files.
	File float64
	// Contents reports whether the contents of the work tree's files are known.
	Contents bool
	// Commonplace is the share of the query's words, 0 to 1, that occur in any project.
	Commonplace float64
	// Chatter is whether the query only speaks to the agent.
	Chatter bool
}

// The chance that memory knows is a logistic model, fitted and measured by
//
//	go run ./testdata/hitfit LOG.jsonl=GITDIR …
//
// to the tasks of five public histories, with and without the contents of files, to
// subjects of the others, and to the questions in testdata/search.
const (
	knownBias        = 1.49
	knownEvidence    = 2.21  // of ln(Evidence + .1)
	knownFile        = 0.78  // of ln(max(File, leastFile) + smallChance)
	knownContents    = -0.35 // if Contents are known
	knownCommonplace = -2.52 // of Commonplace
	leastFile        = 0.03  // in a young memory no file is likely
	evenFile         = 0.1   // used as File if memory names no files
)

// Signals returns the numbers that the model multiplies with its weights, in their
// order.
func (k Knowledge) Signals() [5]float64 {
	file, contents := k.File, 0.0
	if file == 0 {
		file = evenFile
	}
	if k.Contents {
		contents = 1
	}
	return [5]float64{1, math.Log(k.Evidence + 0.1), math.Log(max(file, leastFile) + smallChance), contents, k.Commonplace}
}

// Chance returns the chance that memory knows the subject of the query, 0 to 1.
func (k Knowledge) Chance() float64 {
	if k.Evidence == 0 || k.Chatter {
		return 0
	}
	z, weights := 0.0, [5]float64{knownBias, knownEvidence, knownFile, knownContents, knownCommonplace}
	for i, x := range k.Signals() {
		z += weights[i] * x
	}
	return 1 / (1 + math.Exp(-z))
}

// Know collects the evidence for Knows. found is
// sorted by relevance; file and contents are as in Knowledge.
func (s *Search) Know(found []*Candidate, file float64, contents bool) {
	s.Known = s.Plan.knowledge()
	s.Known.File, s.Known.Contents = file, contents
	for _, k := range found[:min(len(found), s.GateLook)] {
		s.Known.Evidence = max(s.Known.Evidence, k.Evidence*(1+titleWeight*s.Plan.titled(k)))
	}
}

// Knows reports whether memory knows enough about the query's subject.
func (s *Search) Knows() bool { return s.Known.Chance() >= s.Ranking.Gate }

// knowledge returns the part of Knowledge that depends only on the query.
func (p *Plan) knowledge() Knowledge {
	commonplace, all := 0.0, 0.0
	for _, t := range p.Terms {
		if words.IsNumber(t.Text) {
			continue
		}
		all++
		if words.IsCommonplace(t.Text) {
			commonplace++
		}
	}
	return Knowledge{Commonplace: share(commonplace, all), Chatter: p.onlyChatter()}
}

// About returns the chance, 0 to 1, that a text with the words h of the query is about the
// query. It is 1 if the text has nearly all of the query.
func (p *Plan) About(h Held) float64 {
	if p.isWhole(h) {
		return 1
	}
	k := p.knowledge()
	k.Evidence = h.Evidence
	return k.Chance()
}
