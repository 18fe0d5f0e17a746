package share

import (
	"context"
	"net/url"
	"os"
	"path"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/memoryfiles"
	"agentflow/internal/lists"
	"agentflow/internal/share"
	"agentflow/internal/share/exchange"
	"agentflow/memory"
	"agentflow/memory/markdown"
)

// Count counts the contents of some files of memory.
type Count struct {
	Facts, Entries int
	Days           int // files of a day
	Removed        int // files that would leave the remote
}

// add counts the contents of a file.
func (n *Count) add(name string, text []byte) {
	if len(text) == 0 {
		n.Removed++
		return
	}
	if _, err := time.Parse(time.DateOnly, strings.TrimSuffix(path.Base(name), ".md")); err == nil {
		n.Days++
	}
	for _, b := range markdown.Parse(text).Blocks {
		n.Facts += len(b.Facts)
		if b.Entry != nil && b.Entry.Kind != memory.KindNote {
			n.Entries++
		}
	}
}

// maxSamples limits a plan's samples of facts or entries.
const maxSamples = 3

// Sample returns the first texts that would be shared: facts, else titles of entries.
func (p Plan) Sample() (list []string) {
	var titles []string
	for i := range p.Texts {
		for _, b := range markdown.Parse([]byte(p.Texts[i])).Blocks {
			for _, f := range b.Facts {
				list = append(list, memory.Title(f.Text))
			}
			if b.Entry != nil && b.Entry.Kind != memory.KindNote {
				titles = append(titles, memory.Title(b.Entry.Title))
			}
		}
	}
	list = append(list, titles...)
	return list[:min(len(list), maxSamples)]
}

// Counts counts what would be shared, for each file and in total.
func (p Plan) Counts() (files []Count, all Count) {
	files = make([]Count, len(p.Files))
	for i, name := range p.Files {
		files[i].add(name, []byte(p.Texts[i]))
		all.add(name, []byte(p.Texts[i]))
	}
	return files, all
}

// JSON returns the plan in the form of a dry sync.
func (p Plan) JSON() api.Sync {
	return api.Sync{DryRun: true, Remote: p.Remote, Files: lists.Filled(p.Files), Bytes: p.Bytes, News: []string{}, Refused: []string{}, Restored: []string{}}
}

// unshared counts the entries that stay here when sharing this much.
func unshared(s *app.Repo, what share.What) (int, error) {
	if what != share.Facts {
		return 0, nil
	}
	paths, err := memoryfiles.Every(s)
	if err != nil {
		return 0, err
	}
	var n Count
	for _, name := range paths {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // it went meanwhile
		}
		n.add(name, text)
	}
	return n.Entries, nil
}

// remoteAddress returns the address of a remote without a user name or password.
func remoteAddress(ctx context.Context, clone *exchange.Clone) string {
	address := clone.Repo.Address(ctx, clone.Remote)
	if u, err := url.Parse(address); err == nil && u.User != nil {
		u.User = nil
		return u.String()
	}
	return address
}
