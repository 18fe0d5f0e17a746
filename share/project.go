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

// Layout is the version of the entries that a folder holds.
type Layout int

// The layouts. Programs before version 2 find no entry in that: they can neither show nor
// forget it. So folders hold version 1 until every clone declares that it reads both.
const (
	V1 Layout = 1
	V2 Layout = 2
)

// Project is what of a file of memory is shared; empty: nothing.
func Project(name string, src []byte, what What, whose Whose, layout Layout) []byte {
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
			raw := string(block.Raw)
			if layout == V1 {
				raw = string(block.V1())
			}
			b.WriteString(markdown.Without(raw, func(f memory.Fact) bool { return !whose.leaves(f) }))
		}
	}
	if layout == V1 {
		b = *bytes.NewBuffer(markdown.WithoutEmptyNotes(b.Bytes()))
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
