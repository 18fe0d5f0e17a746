package history

import (
	"context"
	"errors"
	"os/exec"
	"slices"
)

// reader reads commits although objects may be missing. Git stops at the first missing object that
// it needs. reader then reads the commit that needs it in another way, which needs fewer objects,
// and continues with the others as before.
type reader struct {
	ctx     context.Context //nolint:containedctx // that of the one call it reads for
	dir     string
	emit    func(Commit) bool // takes the commits, in the order of their ids, until it returns false
	stopped bool              // emit returned false
}

// way is a way for git log to read commits, with the mark that such commits get.
type way struct {
	args []string
	mark func(*Commit)
}

// NoFiles says why the changes of a commit are unknown if its trees are missing.
const NoFiles = "its files are not in this repository"

// named makes git log read the commits on its standard input.
var named = []string{"--ignore-missing", "--no-walk=unsorted", "--stdin"}

// Each way needs fewer objects than the one before: contents, trees, and only the commits.
var (
	plainWays = []way{
		newWay(func(*Commit) {}, "--raw", "--numstat"),
		newWay(func(c *Commit) { c.Uncounted = len(c.Files) > 0 }, "--raw", "--find-renames=100%"),
		newWay(func(c *Commit) { c.Unread = NoFiles }, "--no-patch"),
	}
	mergeWays = []way{
		newWay(func(*Commit) {}, "--raw", "--diff-merges=combined"),
		newWay(func(c *Commit) { c.Uncounted = len(c.Files) > 0 }, "--raw", "--diff-merges=combined", "--find-renames=100%"),
		newWay(func(c *Commit) { c.Unread = NoFiles }, "--no-patch"),
	}
)

func newWay(mark func(*Commit), args ...string) way {
	return way{append(slices.Clone(named), args...), mark}
}

// maxAlone limits the failing commits that are read one by one. After that, objects are
// missing in many places, and more and more commits at a time are read in the other way.
const maxAlone = 8

// read reads commits, each in the first way in which git does not fail. It returns an error if git
// fails in all of them.
func (r *reader) read(ids []string, ways []way) error {
	for alone := 1; len(ids) > 0 && !r.stopped; alone++ {
		last, err := r.take(ids, ways[0])
		if !failed(err) || r.ctx.Err() != nil || len(ways) == 1 {
			return err
		}
		at, err := r.failedAt(ids, last, ways[0])
		if err != nil || r.stopped {
			return err
		}
		end := min(at+1<<max(0, alone-maxAlone), len(ids))
		if err := r.read(ids[at:end], ways[1:]); err != nil {
			return err
		}
		ids = ids[end:]
	}
	return nil
}

// take reads commits until git ends. If git fails, take keeps back the last commit it wrote and
// returns its id, because part of it may be missing.
func (r *reader) take(ids []string, w way) (last string, err error) {
	var held []Commit
	err = Log(r.ctx, r.dir, ids, w.args, func(c Commit) bool {
		w.mark(&c)
		r.hand(held)
		held = []Commit{c}
		return !r.stopped
	})
	if err == nil {
		r.hand(held)
	} else if len(held) > 0 {
		last = held[0].ID
	}
	return last, err
}

func (r *reader) hand(commits []Commit) {
	for _, c := range commits {
		r.stopped = r.stopped || !r.emit(c)
	}
}

// failedAt finds the index of the commit that git failed at: the last that it wrote or, if it can
// read that one by itself, the one after it.
func (r *reader) failedAt(ids []string, last string, w way) (int, error) {
	at := slices.Index(ids, last)
	if at < 0 {
		return 0, nil
	}
	_, err := r.take([]string{last}, w)
	if err == nil {
		return min(at+1, len(ids)), nil
	}
	if !failed(err) || r.ctx.Err() != nil {
		return 0, err
	}
	return at, nil
}

// failed reports whether git itself ended with an error.
func failed(err error) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit)
}
