package memory

import "strings"

// Certainty says how sure it is that a run changed a path.
type Certainty string

// The certainties, the surest first.
const (
	// Shown: a tool event of the agent names the path as written, or the path
	// is in a commit that the run's own processes made.
	Shown Certainty = "shown"
	// Likely: the path last changed within a tool call of the run whose command
	// or output names it as written, and nobody else's evidence claims it; or
	// it changed in a work tree that was made for the run.
	Likely Certainty = "likely"
	// Possible: the path changed while the run was at work, and nothing says
	// that somebody else changed it. It is never taken back unasked.
	Possible Certainty = "possible"
)

// Sure says whether something is taken for the run's own: Shown or Likely.
func (c Certainty) Sure() bool { return c == Shown || c == Likely }

// known is c, or Possible where c is none of the certainties: nothing tells.
func (c Certainty) known() Certainty {
	if c.Sure() {
		return c
	}
	return Possible
}

// LeastCertain is what can be said of two changes together. Both are without a
// certainty in lists that have none.
func LeastCertain(a, b Certainty) Certainty {
	switch {
	case a == b:
		return a
	case a.Sure() && b.Sure():
		return Likely
	}
	return Possible
}

// possibly ends the line of a change, or of a commit, that is only possible.
// People see it, and may take it out or put it in; whether the rest is shown
// or likely stands in the head of the entry, a letter for each line.
const possibly = "(possibly)"

// cutPossibly takes the mark off the end of a line.
func cutPossibly(line string) (rest string, marked bool) {
	if line == possibly {
		return "", true
	}
	return strings.CutSuffix(line, " "+possibly)
}

// putPossibly is the reverse of cutPossibly.
func putPossibly(line string) string {
	if line == "" {
		return possibly
	}
	return line + " " + possibly
}

// hasCertainty says whether the paths of an entry have a certainty: those that
// a run changed. Those of a commit stand in it, whoever made it.
func (e *Entry) hasCertainty() bool { return e.Kind == KindRun }

// ownLists are the lists of what the entry's own run changed.
func (e *Entry) ownLists() []*ChangeList { return []*ChangeList{&e.Changes, &e.Uncommitted} }

// normalCertainty gives each path of a run a certainty, and no other path any.
// e has its lists for itself.
func (e *Entry) normalCertainty() {
	for _, l := range e.ownLists() {
		for i := range l.Items {
			c := &l.Items[i]
			if e.hasCertainty() {
				c.Certainty = c.Certainty.known()
			} else {
				c.Certainty = ""
			}
		}
	}
	for i := range e.Meanwhile.Items {
		e.Meanwhile.Items[i].Certainty = ""
	}
}

// certaintyLetters are the first letters of the certainties of Changes and of
// Uncommitted, in order: "sslp/l". It is empty where there is nothing to tell.
func (e *Entry) certaintyLetters() string {
	if !e.hasCertainty() || len(e.Changes.Items)+len(e.Uncommitted.Items) == 0 {
		return ""
	}
	var lists []string
	for _, l := range e.ownLists() {
		letters := make([]byte, len(l.Items))
		for i, c := range l.Items {
			letters[i] = c.Certainty[0]
		}
		lists = append(lists, string(letters))
	}
	return strings.Join(lists, "/")
}

// setCertainty gives what was read its certainties, by the marks on the lines
// and the letters of the head. The marks count: people see them. Where a person
// took lines out or put some in, nobody knows any more whose letter is whose,
// and what is not marked is likely. An entry without letters was written
// before there was certainty.
func (e *Entry) setCertainty(letters string) {
	if letters != "" {
		changes, uncommitted, _ := strings.Cut(letters, "/")
		e.Changes.setCertainty(changes)
		e.Uncommitted.setCertainty(uncommitted)
	}
	e.normalCertainty()
}

func (l *ChangeList) setCertainty(letters string) {
	for i := range l.Items {
		c := &l.Items[i]
		switch {
		case c.Certainty == Possible:
		case len(letters) == len(l.Items) && letters[i] == Shown[0]:
			c.Certainty = Shown
		default:
			c.Certainty = Likely
		}
	}
}
