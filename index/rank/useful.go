package rank

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"agentflow/memory"
)

// The chance that a hit of a prompt is useful comes from a logistic model of the words that
// the hit shares with the task and of the files that it names. The weights were fitted by
//
//	go run ./testdata/hitfit LOG.jsonl=GITDIR …
//
// to the tasks of five public histories, where a hit is useful if it names a file
// that the task touched, to 30 subjects of each of the four other histories, asked of each
// and without an answer there, and to the questions in testdata/search. With
// weights fitted without them, the share of hits that are useful for a task is 0.543
// with LeastChance and LeastShare and 0.478 without. A right hit is shown for 0.775
// of the tasks (0.782), and for 0.786 of the questions (0.793).
const (
	usefulBias     = 1.21
	usefulEvidence = 0.21 // of the hit's evidence
	usefulShare    = 0.57 // of its share of the best evidence among the hits
	usefulFiles    = 1.05 // of ln(chance of its likeliest file + smallChance)
	usefulNamed    = 0.44 // where it holds a path or identifier of the task
	usefulPathless = 1.66 // if none of its files is likely, or it names none
	smallChance    = 0.005
)

// Useful sets for each picked hit the chance that it is useful, and returns the hits
// for a prompt, in their order. It keeps hits that a person pinned, and hits of the date that
// the query names, at any chance.
func (s *Search) Useful(picked []*Candidate) []*Candidate {
	evidence, best := 0.0, 0.0
	for _, k := range picked {
		evidence = max(evidence, k.Evidence)
	}
	for _, k := range picked {
		k.Chance = k.useful(evidence)
		best = max(best, k.Chance)
	}
	var list []*Candidate
	for _, k := range picked {
		if k.Pinned || k.Dated || k.Chance >= s.LeastChance && k.Chance >= s.LeastShare*best {
			list = append(list, k)
		}
	}
	return list
}

// Limits for the hits that a prompt is sure of. They were chosen on 180 prompts of three
// histories in four sets, with a judgement of each line, and measured on others: see
// docs/notes/prompts.md.
const (
	leadChance   = 0.4 // of the first hit that names files
	leadShare    = 0.5 // share of the best chance, for that hit
	leadEvidence = 0.4
	nextChance   = 0.5 // of another one
	nextShare    = 0.7
	nextEvidence = 1.5
	besideNamed  = 1.7 // the evidence of a commit about a file that the prompt names
	leastWords   = 2.9 // least worth of a commit: see Plan.worth
	halfMass     = 0.5 // of the task's words by weight, for the hit that shares most
	wordsShare   = 0.7 // of the best evidence that a text without paths holds
	titleShare   = 0.5 // of a commit's title that the task holds
	commitWords  = 3   // least number of words of a task that a commit holds nearly all of
)

// Sure returns the useful hits that a prompt is sure of, in their order: the first
// that names files, unless another is far likelier to be useful, others that are likely
// useful and share much with the task, and the one with most of the task's words if it has
// at least half. A text without a commit and without paths is decided by its words. A merge
// without a separate title does not count. Commits made by a person are left out if they match
// the task by few words, if the task lacks half of their title, if they share little with it except a file that the prompt names, or if
// they are about a file of a likelier hit. Some reports whether there was any hit before that.
func (s *Search) Sure(useful []*Candidate, named func(path string) bool) (sure []*Candidate, some bool) {
	evidence, best := 0.0, 0.0
	for _, k := range useful {
		evidence, best = max(evidence, k.Evidence), max(best, k.Chance)
	}
	byWords := func(k *Candidate) bool { return s.kept(k) || k.Mass >= halfMass && k.Evidence == evidence }
	least := [3]float64{leadChance, leadShare, leadEvidence}
	sure = slices.DeleteFunc(useful, func(k *Candidate) bool {
		switch {
		case byWords(k):
			return false
		case strings.Contains(k.Heading, "Merge branch '"):
			return true
		case len(k.Paths) == 0 && len(k.Commits) == 0:
			return k.Evidence < wordsShare*evidence
		}
		unsure := k.Chance < max(least[0], least[1]*best) || k.Evidence < least[2] && len(k.Named) == 0
		least = [3]float64{nextChance, nextShare, nextEvidence}
		return unsure
	})
	some = len(sure) > 0
	sure = slices.DeleteFunc(sure, func(k *Candidate) bool {
		vague := len(k.Named) == 0 && k.Evidence < besideNamed && slices.ContainsFunc(k.Paths, named)
		return k.Kind == string(memory.KindCommit) && !s.kept(k) && (vague || s.Plan.worth(k) < leastWords || k.TitleHeld < titleShare)
	})
	return s.apart(sure), some
}

// apart leaves out each commit that names a file of a likelier hit, which points there already.
func (s *Search) apart(sure []*Candidate) []*Candidate {
	likeliest := slices.SortedStableFunc(slices.Values(sure), func(a, b *Candidate) int { return cmp.Compare(b.Chance, a.Chance) })
	var paths []string
	var again []*Candidate
	for _, k := range likeliest {
		inPaths := func(path string) bool { return slices.Contains(paths, path) }
		if k.Kind == string(memory.KindCommit) && !s.kept(k) && slices.ContainsFunc(k.Paths, inPaths) {
			again = append(again, k)
			continue
		}
		paths = append(paths, k.Paths...)
	}
	return slices.DeleteFunc(sure, func(k *Candidate) bool { return slices.Contains(again, k) })
}

// kept reports whether a hit goes into a prompt regardless of its chance. A short task, such as
// "and for --exec-batch?", says too little for a commit: some commit holds its two words.
func (s *Search) kept(k *Candidate) bool {
	few := k.Kind == string(memory.KindCommit) && len(k.Terms) < commitWords
	return k.Pinned || k.Dated || s.Plan.isWhole(k.Held) && !few
}

// useful returns the chance that a candidate is useful. best is the highest evidence
// among the hits.
func (k *Candidate) useful(best float64) float64 {
	z := usefulBias + usefulEvidence*k.Evidence + usefulShare*share(k.Evidence, best) + usefulFiles*math.Log(k.Agrees+smallChance)
	if len(k.Named) > 0 {
		z += usefulNamed
	}
	if k.Agrees == 0 {
		z += usefulPathless
	}
	return 1 / (1 + math.Exp(-z))
}
