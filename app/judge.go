package app

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"agentflow/internal/plural"

	"agentflow/executor"
	"agentflow/memory"

	"github.com/spf13/cobra"
)

// judgedObject is what was noted of one hit.
type judgedObject struct {
	ID    string `json:"id"` // of the judgement
	Run   string `json:"run"`
	Hit   int    `json:"hit"`
	Entry string `json:"entry"` // id of what was useless; its place when it is hand-written text
	Title string `json:"title"`
	Known bool   `json:"known"` // it had been said before
}

// judge notes that each hit RUN:N was useless for its run.
func (s *site) judge(cmd *cobra.Command, refs []string) ([]judgedObject, error) {
	list := []judgedObject{}
	for _, ref := range refs {
		o, err := s.judgeOne(cmd, ref)
		if err != nil {
			return list, err
		}
		list = append(list, o)
	}
	s.reindex(cmd.Context(), "forget")
	return list, nil
}

func (s *site) judgeOne(cmd *cobra.Command, ref string) (judgedObject, error) {
	run, n, err := s.hitRef(ref)
	if err != nil {
		return judgedObject{}, err
	}
	recalled, err := executor.ReadRecalled(s.Runs(), run)
	if errors.Is(err, executor.ErrNoFolder) {
		return judgedObject{}, &Error{Kind: KindRefused, Err: err, Hint: "'agentflow forget ID' takes what is wrong out of memory"}
	}
	if err != nil {
		return judgedObject{}, err
	}
	if n > len(recalled.Hits) {
		return judgedObject{}, &Error{Kind: KindUsage, Err: fmt.Errorf("--hit %s: memory put %s in front of run %s", ref, plural.Count(len(recalled.Hits), "hit"), memory.ShortID(run)),
			Hint: fmt.Sprintf("'agentflow show %s' lists them", memory.ShortID(run))}
	}
	h := recalled.Hits[n-1]
	j, known, err := s.store.Judge(cmd.Context(), memory.Judgement{Task: s.redact.Text(recalled.Task), Entry: h.Thing(), Title: s.nameOf(h), Run: run})
	if err != nil {
		return judgedObject{}, err
	}
	if known {
		s.say("noted before: %q did not need %q", j.Task, j.Title)
	} else {
		s.say("noted: %q did not need %q; it ranks lower for tasks like that", j.Task, j.Title)
	}
	s.hint("'agentflow forget %s' takes that back", memory.ShortID(j.ID))
	return judgedObject{j.ID, run, n, j.Entry, j.Title, known}, nil
}

// hitRef reads RUN:N, RUN being an id, its end, or "last".
func (s *site) hitRef(ref string) (run string, n int, err error) {
	at := strings.LastIndexByte(ref, ':')
	if n, err = strconv.Atoi(ref[at+1:]); at < 0 || err != nil || n < 1 {
		return "", 0, &Error{Kind: KindUsage, Err: fmt.Errorf("--hit: want RUN:N, have %q", ref), Hint: "'agentflow show last' numbers what was recalled; the second of it is last:2"}
	}
	f, err := s.find(ref[:at], memory.KindRun)
	if err != nil {
		return "", 0, err
	}
	if f.Entry == nil || f.Fact != nil || f.Entry.Kind != memory.KindRun {
		return "", 0, usagef("--hit: %s is no run", ref[:at])
	}
	return f.ID, n, nil
}

// nameOf is how a hit is named to people.
func (s *site) nameOf(h executor.RecalledItem) string {
	if h.ID == "" {
		if h.Title == "" {
			return fmt.Sprintf("%s:%d", h.Path, h.Line)
		}
		return h.Title
	}
	if _, title, ok := strings.Cut(h.Title, " · "); ok {
		return title
	}
	// A note has no title but its fact.
	f, err := s.find(h.ID, "")
	switch {
	case err == nil && f.Fact != nil:
		return memory.Title(f.Fact.Text)
	case err == nil && f.Entry != nil:
		return titleOf(f.Entry)
	}
	return h.Title
}

// recalled is what memory put in front of the run of an entry; none when that
// is not known any more, which why says.
func (s *site) recalled(e *memory.Entry) (hits []executor.RecalledItem, why string) {
	if e == nil || e.Kind != memory.KindRun {
		return nil, ""
	}
	r, err := executor.ReadRecalled(s.Runs(), e.ID)
	if err != nil {
		return nil, err.Error()
	}
	return r.Hits, ""
}

// printRecalled numbers what was recalled, for forget --hit.
func (s *site) printRecalled(e *memory.Entry) {
	hits, why := s.recalled(e)
	if why != "" {
		s.say("%s", why)
	}
	for i, h := range hits {
		if i == 0 {
			s.printf("\n%s\n", s.bold("recalled:"))
		}
		s.printf("%d. %s  %s\n", i+1, cleanLine(s.nameOf(h)), s.dim(memory.Clean(fmt.Sprintf("%s:%d", h.Path, h.Line))))
	}
}
