package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"agentflow/app/api"
	"agentflow/cmd/agentflow/cli"
	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback"
)

// TestSixteenWriters lets sixteen writers change one memory at once: runs, remember,
// forget, consolidate, and two editors that save by rename the text they read a
// moment before. Then every hand edit is there, no id is there twice, and each missing
// fact was forgotten, or is named and can be restored. AGENTFLOW_CROWD_SECONDS
// sets how long; AGENTFLOW_SEED chooses the forgotten facts.
func TestSixteenWriters(t *testing.T) {
	length := time.Duration(number(t, "AGENTFLOW_CROWD_SECONDS", 6)) * time.Second
	c := &writers{lab: newLab(t, `say "done <save_memory importance=\"0.9\">A run has been here.</save_memory>"`), random: rand.New(rand.NewPCG(seed(t), 3)), forgot: map[string]bool{}, says: map[string]string{}}
	c.Agentflow("init")
	c.Agentflow("remember", "What was there before.")
	ctx, cancel := context.WithTimeout(t.Context(), length)
	defer cancel()
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				c.turn(i, n)
				if i >= 14 {
					<-time.After(saves)
				}
			}
		})
	}
	all.Wait()
	c.judge()
}

// saves is how long each editor waits after a save before it reads again: less
// than any person. It must not read at once. A text that was saved in the moment in
// which a command replaces the file is restored microseconds later, and an editor that
// reads in between and saves after that would overwrite the restored text.
const saves = 100 * time.Millisecond

// writers share what was done by whom.
type writers struct {
	*lab
	mu        sync.Mutex
	random    *rand.Rand
	told      []string          // ids of remembered facts
	says      map[string]string // what each says
	forgot    map[string]bool   // those that forget took out
	edits     []string          // lines put in by hand
	runs      int
	locked    int // commands that gave up because others were writing
	surpassed int // changes that gave way to a hand edit
}

func (c *writers) turn(i, n int) {
	switch {
	case i < 4:
		if _, ok := c.command("run", "-q", fmt.Sprintf("task %d of runner %d", n, i)); ok {
			c.mu.Lock()
			c.runs++
			c.mu.Unlock()
		}
	case i < 10:
		c.remember(i, n)
	case i < 12:
		c.forgetOne()
	case i < 14:
		c.command("consolidate")
	case i == 14:
		c.edit("MEMORY.md", fmt.Sprintf("Hand edit %d of the durable file.", n))
	default:
		c.edit(time.Now().Format(time.DateOnly)+".md", fmt.Sprintf("Hand edit %d of the day.", n))
	}
}

// command runs agentflow; another writer's lock and a hand edit that wins are
// no failures.
func (c *writers) command(args ...string) (out string, ok bool) {
	p := c.Start(args...)
	err := p.Wait()
	var exit *exec.ExitError
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err == nil:
		return p.Out.String(), true
	case errors.As(err, &exit) && exit.ExitCode() == cli.ExitLocked:
		c.locked++
	case strings.Contains(p.Err.String(), writeback.ErrChanged.Error()):
		c.surpassed++
	default:
		c.T.Errorf("agentflow %s: %v\n%s%s", strings.Join(args, " "), err, &p.Out, &p.Err)
	}
	return "", false
}

func (c *writers) remember(i, n int) {
	text, importance := fmt.Sprintf("Fact %d of writer%d.", n, i), "0.5"
	switch n % 5 {
	case 3:
		importance = "0.9" // moves to MEMORY.md
	case 4:
		text = fmt.Sprintf("What everybody says about number %d.", n/20) // is merged
	}
	out, ok := c.command("remember", "--json", "--importance", importance, text)
	if !ok {
		return
	}
	var told api.Fact
	if err := json.Unmarshal([]byte(out), &told); err != nil {
		c.T.Errorf("%v in %q", err, out)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told = append(c.told, told.ID)
	c.says[told.ID] = text
}

func (c *writers) forgetOne() {
	c.mu.Lock()
	id := ""
	if len(c.told) > 0 {
		id = c.told[c.random.IntN(len(c.told))]
	}
	gone := c.forgot[id]
	c.mu.Unlock()
	if id == "" || gone {
		return
	}
	cmd := c.Command("forget", "--yes", "--json", id)
	out, err := cmd.Output()
	c.mu.Lock()
	defer c.mu.Unlock()
	var exit *exec.ExitError
	switch {
	case err == nil:
		var done struct{ Forgotten []string }
		if err := json.Unmarshal(out, &done); err != nil {
			c.T.Errorf("%v in %q", err, out)
		}
		c.forgot[id] = true
		for _, id := range done.Forgotten {
			c.forgot[id] = true
		}
	case errors.As(err, &exit) && exit.ExitCode() == cli.ExitLocked:
		c.locked++
	case errors.As(err, &exit) && exit.ExitCode() == cli.ExitError && bytes.Contains(append(exit.Stderr, out...), []byte("no entry or fact")):
		// An editor's stale buffer has just taken it out; it is named.
	default:
		c.T.Errorf("forget %s: %v\n%s", id, err, exit.Stderr)
	}
}

// edit is an editor: it reads a file, adds a line and saves by rename.
func (c *writers) edit(name, line string) {
	path := filepath.Join(c.Repo, ".agentflow/memory", name)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if c.hesitates() {
		<-time.After(saves)
	}
	if err == nil {
		err = os.WriteFile(path+"~", append(text, "\n"+line+"\n"...), 0o600)
	}
	if err == nil {
		err = os.Rename(path+"~", path)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.T.Error(err)
	}
	c.edits = append(c.edits, line)
}

// hesitates says, now and then, that an editor keeps what it has read for a
// while, so that it saves over what others wrote meanwhile.
func (c *writers) hesitates() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.random.IntN(10) == 0
}

// judge checks memory after all writers have ended.
func (c *writers) judge() {
	c.T.Helper()
	c.Agentflow("status")
	vanished := c.vanished()
	c.Agentflow("memory", "restore")
	c.Agentflow("consolidate") // takes away doubles that a stale buffer brought back
	if left := c.vanished(); len(left) > 0 {
		c.T.Errorf("not restored: %v", left)
	}
	files := c.memoryFiles()
	var whole strings.Builder
	stands := map[string]int{}
	runs := 0
	for _, text := range files {
		whole.WriteString(text)
		doc := markdown.Parse([]byte(text))
		for _, id := range doc.IDs() {
			stands[id]++
		}
		for _, e := range doc.Entries() {
			if e.Kind == memory.KindRun {
				runs++
			}
		}
	}
	for id, times := range stands {
		if times > 1 {
			c.T.Errorf("%s stands %d times", id, times)
		}
	}
	for _, line := range c.edits {
		if !strings.Contains(whole.String(), line) {
			c.T.Errorf("lost by hand: %s", line)
		}
	}
	// Two that say the same may have been merged before one was forgotten.
	unsaid := map[string]bool{}
	for id := range c.forgot {
		unsaid[c.says[id]] = true
	}
	for _, id := range c.told {
		if stands[id] == 0 && !unsaid[c.says[id]] {
			c.T.Errorf("%s is gone, and nobody forgot it", id)
		}
	}
	for id := range c.forgot {
		if stands[id] > 0 && !slices.Contains(vanished, id) {
			c.T.Errorf("%s was forgotten, and stands again", id)
		}
	}
	if runs != c.runs {
		c.T.Errorf("%d runs, %d entries", c.runs, runs)
	}
	c.T.Logf("%d runs, %d remembered, %d forgotten, %d edits by hand, %d had vanished; %d found memory locked, %d gave way to an edit",
		c.runs, len(c.told), len(c.forgot), len(c.edits), len(vanished), c.locked, c.surpassed)
}

func (c *writers) vanished() (ids []string) {
	c.T.Helper()
	status := c.status()
	for _, ref := range status.Vanished {
		ids = append(ids, ref.ID)
	}
	return ids
}
