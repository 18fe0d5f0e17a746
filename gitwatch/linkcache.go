package gitwatch

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
)

// The cache is one line with a checksum of what follows; one of JSON; and the
// ids of the commits that are here, a line each.
const linkVersion = "agentflow links 1 "

// maxLinkCache is the size in bytes over which nothing is kept.
const maxLinkCache = 32 << 20

// linkDoc is the line of JSON.
type linkDoc struct {
	Tips   []string `json:"tips"`
	Grafts string   `json:"grafts,omitempty"`
	Record int64    `json:"record,omitempty"`
	Away   []*trail `json:"away,omitempty"`
}

var errNoLinks = errors.New("there is no cache that can be used")

func loadLinks(file string) (*linkState, error) {
	if info, err := os.Stat(file); err != nil || info.Size() > maxLinkCache {
		return nil, errNoLinks
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, errNoLinks
	}
	head, body, _ := strings.Cut(string(data), "\n")
	if head != linkHead(body) {
		return nil, errNoLinks
	}
	text, lines, _ := strings.Cut(body, "\n")
	var doc linkDoc
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		return nil, errNoLinks
	}
	k := newLinkState(doc.Tips, doc.Grafts)
	k.record, k.here.lines, k.away = doc.Record, lines, doc.Away
	k.keep(nil)
	return k, nil
}

func linkHead(body string) string {
	return fmt.Sprintf("%s%08x", linkVersion, crc32.ChecksumIEEE([]byte(body)))
}

// Save keeps what was found out, where that is more than was there before.
// The file is replaced in one step but not synced: what a crash leaves of it
// is found out anew.
func (l *Links) Save() error {
	if !l.changed || l.files.Cache == "" {
		return nil
	}
	k := l.known
	text, err := json.Marshal(linkDoc{k.tips, k.grafts, k.record, k.away})
	if err != nil {
		return fmt.Errorf("keeping what became of commits: %w", err)
	}
	body := string(text) + "\n" + joinLines(k.here.all())
	if len(body) > maxLinkCache/2 {
		return nil
	}
	if err := replaceFile(l.files.Cache, linkHead(body)+"\n"+body); err != nil {
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
