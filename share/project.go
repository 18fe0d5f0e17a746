package share

import (
	"bytes"
	"fmt"
	"strings"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// Whose says whose a memory is.
type Whose bool

// A memory is a repository's, or the user's own.
const (
	Repositorys Whose = false
	Own         Whose = true
)

// leaves says whether a fact may leave the clone: those of a branch or a run never do, and
// those of the user alone only from their own memory, to other machines of theirs.
func (w Whose) leaves(f memory.Fact) bool {
	switch ns := memory.NamespaceOf(f.Namespace); ns {
	case memory.ProjectNamespace:
		return true
	case memory.TeamNamespace:
		return w == Repositorys
	default:
		return w == Own && ns == memory.GlobalNamespace
	}
}

// Project is what of a file of memory is shared; empty: nothing.
func Project(name string, src []byte, what What, whose Whose) []byte {
	if !IsFile(name) || memory.InNotes(name) && what != All {
		return nil
	}
	d := markdown.Parse(src)
	var b bytes.Buffer
	for i := range d.Blocks {
		block := &d.Blocks[i]
		switch {
		case what == Facts || block.Entry == nil && what == Entries:
			bullets(&b, block, whose)
		default:
			b.WriteString(markdown.Without(string(block.Raw), func(f memory.Fact) bool { return !whose.leaves(f) }))
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
func bullets(b *bytes.Buffer, block *markdown.Block, whose Whose) {
	for _, f := range block.Facts {
		if !whose.leaves(f.Fact) || f.ID == "" {
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
		b.WriteString(strings.TrimRight(markdown.FormatFact(f.Apart()), "\n"))
		b.WriteString("\n")
	}
}

// IDs are those of the entries and facts of a shared file.
func IDs(src []byte) []string { return markdown.Parse(src).IDs() }
