package index

import (
	"fmt"

	"agentflow/index/contents"
	"agentflow/index/files"
	"agentflow/index/question"
	"agentflow/index/rank"
	"agentflow/index/store"
	"agentflow/memory/retrieval"
)

// Answer is the result of a query.
type Answer struct {
	Hits []retrieval.Hit // best first
	// Files are the files that the query's task will likely touch, best first:
	// at most Query.Files.
	Files []retrieval.LikelyFile
}

// For a task, the search also finds the newest entries about the files that it
// will most likely touch: see retrieval.Query.Task.
const (
	likelyFiles   = 15
	entriesOfEach = 6
)

// historyEntries limits the newest entries that the file model reads. On
// five histories of 370 to 1,500 commits, 2,048 entries are as good as all;
// with 1,024 entries the list of ten files is right for 0.911 of the tasks
// instead of 0.927.
const historyEntries = 2048

// readWindow starts to read the newest entries while the search continues, and
// returns a function that waits for the result.
func (s *searcher) readWindow(read *question.Question, known *contents.Found) func() *files.Window {
	s.task = files.NewQuery(s.Search.Query.Text, read, s.worth(read, known))
	blocks := s.view.History(historyEntries)
	var window *files.Window
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		window, err = files.ReadWindow(s.task, blocks, historyEntries)
	}()
	return func() *files.Window {
		<-done
		if err != nil {
			s.view.Fail(fmt.Errorf("%w: %w", store.ErrDamaged, err))
		}
		return window
	}
}

// rankFiles scores the files of the query from the candidates found for it.
func (s *searcher) rankFiles(window *files.Window, found []*rank.Candidate, contents *contents.Found) *files.Ranked {
	voters := make([]files.Voter, 0, s.Search.Candidates)
	for _, k := range s.Search.Voters(found) {
		voters = append(voters, files.Voter{Paths: k.Paths, Relevance: k.Relevance})
	}
	ranked := files.Rank(window, voters, contents, s.Search.Query.Exists, s.db.o.Weights)
	if s.db.o.Files != nil {
		s.db.o.Files(ranked)
	}
	return ranked
}

// likelyFiles returns the files that the task will likely touch. No file is
// sure if memory knows nothing about the task.
func (s *searcher) likelyFiles(ranked *files.Ranked) []retrieval.LikelyFile {
	list := ranked.Best(s.Search.Query.Files)
	if !s.Search.Knows() {
		unsure(list)
	}
	return list
}

// unsure marks every file of a list as not sure.
func unsure(list []retrieval.LikelyFile) {
	for i := range list {
		list[i].Sure = false
	}
}

// agree sets on each candidate the chance of the likeliest file that it names.
func agree(picked []*rank.Candidate, ranked *files.Ranked) {
	for _, k := range picked {
		for _, path := range k.Paths {
			k.Agrees = max(k.Agrees, ranked.Chance(path))
		}
	}
}

// worth returns a function that weighs the words of a long task: by how few texts of memory and
// files of the work tree hold them. A word that none holds is worth nothing.
func (s *searcher) worth(read *question.Question, known *contents.Found) func(question.Word) float64 {
	numbers := make(map[uint32]int, len(read.Words))
	for _, w := range read.Words {
		numbers[w.Stem] = 0
	}
	s.view.Count(numbers)
	all := s.view.Chunks()
	if known != nil {
		all += known.Files
		for i, w := range files.Words(read) {
			numbers[w.Stem] += len(known.Terms[i].Held)
		}
	}
	return func(w question.Word) float64 {
		if numbers[w.Stem] == 0 {
			return 0
		}
		return rank.IDF(all, numbers[w.Stem])
	}
}

// contents looks the task up in the files of the work tree and marks the terms
// that some file holds. On failure it reports the error to Options.Lacking and
// the search continues without the contents.
func (s *searcher) contents(read *question.Question, terms []rank.Term) *contents.Found {
	if s.db.o.Contents == nil {
		return nil
	}
	found, err := s.db.o.Contents(s.ctx, files.Asked(read))
	if err == nil && found.Files > 0 {
		held := map[uint32]bool{}
		for i, w := range files.Words(read) {
			held[w.Stem] = len(found.Terms[i].Held) > 0
		}
		for i := range terms {
			terms[i].Elsewhere = held[terms[i].Hash]
		}
		return &found
	}
	if err != nil {
		s.db.o.Lacking(fmt.Sprintf("searched without the contents of files: %v", err))
	}
	return nil
}

// withLikely adds the newest entries about the files that the task will likely
// touch.
func (s *searcher) withLikely(found []*rank.Candidate, ranked *files.Ranked) []*rank.Candidate {
	ids := map[int64]float64{}
	for _, id := range s.view.Passing(ranked.Newest(likelyFiles, entriesOfEach), s.filter) {
		ids[id] = 0
	}
	for _, k := range found {
		if _, ok := ids[k.ID]; ok {
			k.Likely = true
			delete(ids, k.ID)
		}
	}
	more := s.scored(ids)
	for _, k := range more {
		k.Likely = true
	}
	s.judge(more)
	found = append(found, more...)
	s.Search.Weigh(found)
	return s.Search.Distinct(found)
}
