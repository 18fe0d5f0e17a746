package history

import (
	"context"
	"errors"
	"os/exec"
	"slices"
)

// reader reads commits though objects may be missing. Git ends at the first that it needs
// and has not, so the commit that needs it is read in another way, which needs less, and
// the rest as before.
type reader struct {
	ctx     context.Context //nolint:containedctx // that of the one call it reads for
	dir     string
	emit    func(Commit) bool // takes the commits, in the order of their ids, until it says false
	stopped bool              // it did
}

// way is how git log reads commits, and what is said of them then.
type way struct {
	args []string
	mark func(*Commit)
}

// NoFiles is why the changes of a commit are not known whose trees are missing.
const NoFiles = "its files are not in this repository"

// named make git log read the commits that stand on its standard input.
var named = []string{"--ignore-missing", "--no-walk=unsorted", "--stdin"}

// Each way needs less than the one before: contents, trees, and the commits alone.
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

// maxAlone is how many commits that git fails at are read one by one. After that objects
// are missing all over, and more and more commits at a time are read in the other way.
const maxAlone = 8

// read reads commits, each in the first of the ways that git does not fail in. It is an
// error that git fails in all of them.
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

// take reads commits until git ends. The last one that git wrote before it failed is
// held back, and named: something of it may be missing.
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

// failedAt finds the place of the commit that git failed at: the last that it wrote, or
// the one after that where it reads the last one well by itself.
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

// failed says whether git ended with an error of its own.
func failed(err error) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit)
}
