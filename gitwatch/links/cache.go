package links

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/gitwatch/internal/git"
	"agentflow/internal/safefile"
	"agentflow/memory/retrieval"
)

// The cache consists of one line with a checksum of the rest; one of JSON that every question
// needs; one of JSON with the trails, which are rarely needed; and the ids of the reachable
// commits, one per line.
const cacheVersion = "agentflow links 1 "

// maxCache limits the bytes before all results are found again, so that those that are no
// longer needed are dropped.
const maxCache = 8 << 20

type cacheDoc struct {
	Tips   []string         `json:"tips"`
	Grafts string           `json:"grafts,omitempty"`
	Record int64            `json:"record,omitempty"`
	Links  []retrieval.Link `json:"links,omitempty"` // of the trails
}

var errNoCache = errors.New("there is no cache that can be used")

func load(file string) (*state, error) {
	data, _ := safefile.Read(file, safefile.NoLink, 2*maxCache)
	head, body, _ := strings.Cut(string(data), "\n")
	text, rest, _ := strings.Cut(body, "\n")
	var doc cacheDoc
	if head != checkLine(body) || json.Unmarshal([]byte(text), &doc) != nil {
		return nil, errNoCache
	}
	k := newState(doc.Tips, doc.Grafts)
	k.record = doc.Record
	k.packedTrails, rest, _ = strings.Cut(rest, "\n")
	if rest != "" {
		k.reachable = strings.Split(strings.TrimSuffix(rest, "\n"), "\n")
	}
	for _, l := range doc.Links {
		k.links[l.ID] = l
	}
	return k, nil
}

func (k *state) unpack() error {
	if k.packedTrails == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(k.packedTrails), &k.trails); err != nil {
		return fmt.Errorf("reading what became of commits: %w", err)
	}
	k.packedTrails = ""
	return nil
}

func (k *state) body() (string, error) {
	doc := cacheDoc{Tips: k.tips, Grafts: k.grafts, Record: k.record}
	for _, id := range slices.Sorted(maps.Keys(k.links)) {
		doc.Links = append(doc.Links, k.links[id])
	}
	often, err := json.Marshal(doc)
	if err != nil {
		return "", err
	}
	trails := k.packedTrails
	if trails == "" {
		text, err := json.Marshal(k.trails)
		if err != nil {
			return "", err
		}
		trails = string(text)
	}
	return string(often) + "\n" + trails + "\n" + git.Lines(k.reachable), nil
}

func checkLine(body string) string {
	return fmt.Sprintf("%s%08x", cacheVersion, crc32.ChecksumIEEE([]byte(body)))
}

// Save writes the cache if anything in it changed. The file is replaced in one step but not synced:
// after a crash it may have to be built again.
func (l *Ledger) Save() error {
	if !l.changed || l.files.Cache == "" {
		return nil
	}
	body, err := l.state.body()
	if err != nil {
		return fmt.Errorf("keeping what became of commits: %w", err)
	}
	if len(body) > maxCache {
		body = ""
	}
	if err := replaceFile(l.files.Cache, checkLine(body)+"\n"+body); err != nil {
		return fmt.Errorf("keeping what became of commits: %w", err)
	}
	l.changed = false
	return nil
}

func replaceFile(file, text string) error {
	temp, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*.tmp") // mode 0600
	if err != nil {
		return err
	}
	_, err = temp.WriteString(text)
	err = errors.Join(err, temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	return nil
}

// idSet is a sorted set of full ids.
type idSet []string

func (s idSet) has(id string) bool {
	_, found := slices.BinarySearch(s, id)
	return found
}

func (s *idSet) add(ids ...string) {
	if len(ids) == 0 {
		return
	}
	*s = append(*s, ids...)
	slices.Sort(*s)
	*s = slices.Compact(*s)
}

func (s *idSet) remove(ids []string) {
	if gone := setOf(ids); len(gone) > 0 {
		*s = slices.DeleteFunc(*s, func(id string) bool { return gone[id] })
	}
}
