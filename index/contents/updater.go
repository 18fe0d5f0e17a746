package contents

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"time"

	"agentflow/internal/roles"
	"agentflow/internal/safefile"
)

// updater is the state of one Update.
type updater struct {
	*writer
	tree   Tree
	o      Options
	report Report
	reader *Reader
	buffer []byte

	began  time.Time        // before any file was examined
	all    map[string]place // the files in the index
	todo   []File           // files that changed
	stems  int              // number of stems in all files
	change change           // not yet committed
	last   time.Time        // time of the last commit
}

func update(ctx context.Context, path string, tree Tree, o Options) (report Report, err error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	w, err := openWriter(ctx, path)
	if err != nil {
		return report, err
	}
	u := &updater{writer: w, tree: tree, o: o, reader: NewReader(), buffer: make([]byte, MaxText), change: newChange()}
	err = u.run(ctx)
	return u.report, errors.Join(err, w.close())
}

func newChange() change { return change{fresh: &piece{}, seen: map[place]seen{}} }

func (u *updater) run(ctx context.Context) error {
	u.began, u.last = u.o.Now(), time.Now()
	files, err := u.tree.Files(ctx)
	if err != nil {
		return err
	}
	if err := u.compare(ctx, files); err != nil {
		return err
	}
	if err := u.readAll(ctx); err != nil {
		return err
	}
	if err := u.flush(ctx); err != nil {
		return err
	}
	for _, p := range u.pieces {
		u.report.Files += p.files
	}
	return u.tidy(ctx, u.spent) // not earlier, because a place refers to a file by its piece
}

// spent reports whether the time budget is used up.
func (u *updater) spent() bool { return u.o.Budget > 0 && u.o.Now().Sub(u.began) >= u.o.Budget }

// compare determines which files changed and which no longer exist.
func (u *updater) compare(ctx context.Context, files []File) error {
	u.all = u.living()
	gone := u.living()
	listed := 0
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if f.Size > MaxFile || len(f.Path) > maxPath || roles.IsForeign(f.Path) || u.tree.Ignored != nil && u.tree.Ignored(f.Path) {
			continue
		}
		if listed++; listed > MaxFiles {
			u.report.Beyond++
			continue
		}
		at, known := u.all[f.Path]
		delete(gone, f.Path)
		if !known || at.known().Stat != f.Stat {
			u.todo = append(u.todo, f)
		}
	}
	for _, p := range u.pieces {
		u.stems += p.held
	}
	for _, at := range gone {
		u.forget(at)
	}
	u.report.Removed = len(gone)
	return nil
}

// forget removes a file.
func (u *updater) forget(at place) {
	u.change.gone = append(u.change.gone, at)
	u.stems -= at.known().held
}

// flushEvery spaces the commits of files that were read.
const flushEvery = time.Second

// readAll reads the changed files until the budget is used up.
func (u *updater) readAll(ctx context.Context) error {
	for i, f := range u.todo {
		if err := ctx.Err(); err != nil {
			return err
		}
		if u.spent() {
			u.report.Left = len(u.todo) - i
			return nil
		}
		if time.Since(u.last) >= flushEvery {
			if err := u.flush(ctx); err != nil {
				return err
			}
		}
		if err := u.read(ctx, f); err != nil {
			return err
		}
		if u.o.Progress != nil {
			u.o.Progress(i+1, len(u.todo))
		}
	}
	return nil
}

// read reads one file. A file that cannot be read is removed from the index.
func (u *updater) read(ctx context.Context, f File) error {
	at, known := u.all[f.Path]
	text, err := u.text(f.Path)
	if err != nil {
		if known {
			u.forget(at)
		}
		return nil
	}
	u.report.Read++
	var d Doc
	if !isGenerated(text) {
		d = u.reader.Of(text)
	}
	now := seen{u.settled(f.Stat), sumOf(d)}
	if known && at.known().sum == now.sum {
		if at.known().seen != now {
			u.change.seen[at] = now
		}
		return nil
	}
	if known {
		u.forget(at)
	}
	if u.stems+len(d.Held) > MaxStems {
		u.report.Beyond++
		return nil
	}
	u.stems += len(d.Held)
	if u.change.fresh.weight()+weight(1, len(d.Held)) >= pieceFull {
		if err := u.flush(ctx); err != nil {
			return err
		}
	}
	u.change.fresh.add(f.Path, d, now)
	return nil
}

// text returns the beginning of a file. It is valid until the next call.
func (u *updater) text(path string) ([]byte, error) {
	f, err := safefile.Open(filepath.Join(u.tree.Dir, filepath.FromSlash(path)), safefile.NoLink)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	n, err := io.ReadFull(f, u.buffer)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return u.buffer[:n], err
}

// clockGranule bounds the resolution of a file system's times: two
// seconds, for FAT.
const clockGranule = 2 * time.Second

// settled returns a stat that differs after any later change of the file. If
// the file changed too recently for that, it returns a stat that no file has,
// like git's rule for racy entries.
func (u *updater) settled(s Stat) Stat {
	if max(s.Mtime, s.Ctime) >= u.began.Add(-clockGranule).UnixNano() {
		return Stat{Size: -1}
	}
	return s
}

// flush commits the files that were read.
func (u *updater) flush(ctx context.Context) error {
	ch := u.change
	u.change, u.last = newChange(), time.Now()
	if len(ch.fresh.files)+len(ch.gone)+len(ch.seen) == 0 {
		return nil
	}
	ch.fresh.sort()
	return u.commit(ctx, ch)
}
