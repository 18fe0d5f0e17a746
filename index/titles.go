package index

import (
	"strings"

	"agentflow/index/question"
	"agentflow/index/rank"
	"agentflow/index/stems"
	"agentflow/internal/words"
	"agentflow/memory"
)

// titles sets for each commit how much of its title the task holds, without the words of paths that
// the task names: each commit about such a file shares them.
func (s *searcher) titles(picked []*rank.Candidate, task *question.Question) {
	asked := map[uint32]bool{}
	for _, w := range task.Words {
		asked[w.Stem] = true
	}
	for _, stem := range pathStems(task) {
		delete(asked, stem)
	}
	of := map[*rank.Candidate][]uint32{}
	numbers := map[uint32]int{}
	for _, k := range picked {
		if k.Kind != string(memory.KindCommit) {
			continue
		}
		of[k] = rank.TitleStems(k.Heading)
		for _, stem := range of[k] {
			numbers[stem] = 0
		}
	}
	s.view.Count(numbers)
	all := s.view.Chunks()
	for k, stems := range of {
		k.TitleHeld = rank.TitleShare(stems, asked, func(stem uint32) float64 { return rank.IDF(all, numbers[stem]) })
	}
}

// pathStems returns the hashes of the stems in the paths that a task names.
func pathStems(task *question.Question) (list []uint32) {
	for _, p := range task.Paths {
		for _, token := range words.Tokenize(strings.Join(p.Parts, " ")) {
			list = append(list, stems.Hash(words.Stem(token.Text)))
		}
	}
	return list
}
