package share

import (
	"bytes"
	"fmt"
	"strings"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// leaves says whether a fact may leave the clone: those of a branch, a run or the user
// alone never do.
func leaves(f memory.Fact) bool {
	return f.Namespace == memory.ProjectNamespace || f.Namespace == memory.TeamNamespace
}

// Project is what of a file of memory is shared; empty: nothing.
func Project(name string, src []byte, what What) []byte {
	if !IsFile(name) || memory.InNotes(name) && what != All {
		return nil
	}
	d := markdown.Parse(src)
	var b bytes.Buffer
	for i := range d.Blocks {
		block := &d.Blocks[i]
		switch {
		case what == Facts || block.Entry == nil && what == Entries:
			bullets(&b, block)
		default:
			b.WriteString(markdown.Without(string(block.Raw), func(f memory.Fact) bool { return !leaves(f) }))
		}
	}
	if len(bytes.TrimSpace(b.Bytes())) == 0 {
		return nil
	}
	if what == Facts && !bytes.HasPrefix(b.Bytes(), []byte("# ")) {
		return fmt.Appendf(nil, "# %s\n\n%s", memory.FileTitle(name), b.Bytes())
	}
	return b.Bytes()
}

// bullets writes the facts of a block. Those of an entry name it as their source, and have
// its time.
func bullets(b *bytes.Buffer, block *markdown.Block) {
	for _, f := range block.Facts {
		if !leaves(f.Fact) || f.ID == "" {
			continue
		}
		if e := block.Entry; e != nil {
			if f.Created.IsZero() {
				f.Created = e.Time
			}
			if f.Source == "" {
				f.Source = e.ID
			}
		}
		b.WriteString(strings.TrimRight(markdown.FormatFact(f.Fact), "\n"))
		b.WriteString("\n")
	}
}

// IDs are those of the entries and facts of a shared file.
func IDs(src []byte) []string { return markdown.Parse(src).IDs() }
