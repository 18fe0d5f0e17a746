package share

import (
	"bytes"
	"fmt"
	"strings"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// Whose is the owner of a memory: a repository or a user.
type Whose bool

// The values of Whose.
const (
	Repositorys Whose = false
	Own         Whose = true
)

// leaves reports whether a fact may leave the clone. Facts of a branch or a run never do.
// Global facts leave only the user's memory, for the user's other machines.
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

// Layout is the version of the format of entries in a folder.
type Layout int

// The layouts. Programs before version 2 find no entry in that layout, so they can neither show
// nor forget it. Therefore folders have version 1 until every clone declares that it reads
// both.
const (
	V1 Layout = 1
	V2 Layout = 2
)

// Project returns the part of a file of memory that is shared, or nil if none is.
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

// bullets writes the facts of a block. The facts of an entry get its id as their source, and
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

// IDs returns the ids of the entries and facts of a shared file.
func IDs(src []byte) []string { return markdown.Parse(src).IDs() }
