package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"agentflow/internal/plural"

	"agentflow/internal/atomicfile"
	"agentflow/memory"
	"agentflow/transfer"

	"github.com/spf13/cobra"
)

// exportOptions are the flags of memory export.
type exportOptions struct {
	format, output, since, until, factType, tag, namespace string
	factsOnly, force                                       bool
}

func (a *operation) memoryExportCommand() *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use:   "export [flags]",
		Short: "Write memory out as JSON Lines or Markdown",
		Long: `Export writes the entries and facts that memory holds to stdout or to a file:
as JSON Lines, one object a line with every field, or as Markdown, as they
stand. 'agentflow memory import' reads both, and loses nothing; on a terminal
Markdown is shown without control characters. Judgements of
'forget --hit' are left out. With --type, --tag or --namespace an entry counts
when one of its facts does.

What was exported is a file of yours: forget and forget --purge do not reach it.`,
		Example: `  agentflow memory export -o memory.jsonl
  agentflow memory export --format markdown --since 30d
  agentflow memory export --facts-only --tag testing | jq -r .text`,
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.export(cmd.Context(), o) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.format, "format", "jsonl", "jsonl or markdown")
	flags.StringVarP(&o.output, "output", "o", "", "write to this `file`")
	flags.BoolVar(&o.force, "force", false, "replace the file when it is there")
	flags.StringVar(&o.since, "since", "", "only from this `date` on (2026-11-21, or 7d for the last week)")
	flags.StringVar(&o.until, "until", "", "only before this `date`")
	flags.StringVar(&o.factType, "type", "", "only this `type` of facts: semantic, episodic or procedural")
	flags.StringVar(&o.tag, "tag", "", "only facts with this `tag`")
	flags.StringVar(&o.namespace, "namespace", "", "only facts of this `namespace`: project, branch (the current one), branch/NAME, run/ID or global")
	flags.BoolVar(&o.factsOnly, "facts-only", false, "each fact on its own, without the entries around them")
	complete(cmd, "format", transfer.Formats...)
	complete(cmd, "type", FactTypes...)
	completeNamespace(cmd)
	return cmd
}

func (a *operation) export(ctx context.Context, o exportOptions) error {
	filter, err := o.filter(time.Now())
	if err != nil {
		return err
	}
	if err := o.free(); err != nil {
		return err
	}
	s, err := a.exported(ctx, &filter)
	if err != nil {
		return err
	}
	files, err := s.contents()
	if err != nil {
		return err
	}
	if o.output == "" {
		_, err := transfer.Export(a.verbatim(), files, o.format, filter)
		return err
	}
	var text bytes.Buffer
	n, err := transfer.Export(&text, files, o.format, filter)
	if err != nil {
		return err
	}
	if err := atomicfile.Write(o.output, text.Bytes(), 0o600); err != nil {
		return fmt.Errorf("writing the export: %w", err)
	}
	a.say("exported %s to %s", plural.Count(n, "memory"), o.output)
	return nil
}

// filter checks the flags.
func (o *exportOptions) filter(now time.Time) (f transfer.Filter, err error) {
	f = transfer.Filter{Type: memory.FactType(o.factType), Tag: o.tag, FactsOnly: o.factsOnly}
	if err := errors.Join(oneOf("format", o.format, transfer.Formats...), oneOf("type", o.factType, FactTypes...)); err != nil {
		return f, err
	}
	if f.Since, err = parseWhen("since", o.since, now); err != nil {
		return f, err
	}
	if f.Until, err = parseWhen("until", o.until, now); err != nil {
		return f, err
	}
	f.Namespace, err = namespaceFlag(o.namespace)
	return f, err
}

// free refuses to write over what is there.
func (o *exportOptions) free() error {
	if info, err := os.Stat(o.output); err == nil && !info.Mode().IsRegular() {
		return &Error{Kind: KindRefused, Err: fmt.Errorf("writing the export: %s is no regular file", o.output), Hint: "without --output it goes to standard output"}
	}
	if o.output == "" || o.force {
		return nil
	}
	if _, err := os.Lstat(o.output); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return fmt.Errorf("writing the export: %w", err)
	}
	return &Error{Kind: KindRefused, Err: fmt.Errorf("writing the export: %s is there already", o.output), Hint: "--force replaces it"}
}

// exported opens the memory that the filter asks for, and completes its
// namespace.
func (a *operation) exported(ctx context.Context, f *transfer.Filter) (*site, error) {
	if f.Namespace != nil && *f.Namespace == memory.GlobalNamespace {
		f.Namespace = nil // all of it
		return a.globalMemory(ctx)
	}
	s, err := a.reading(ctx)
	if err != nil || f.Namespace == nil {
		return s, err
	}
	*f.Namespace, err = s.completed(ctx, *f.Namespace)
	return s, err
}

// globalMemory opens the user's own memory, which has to be there.
func (a *operation) globalMemory(ctx context.Context) (*site, error) {
	s, err := a.globalSite(ctx, false)
	if s == nil && err == nil {
		err = &Error{Kind: KindRefused, Err: errors.New("reading your own memory: nothing has been remembered in it yet"),
			Hint: "'agentflow remember --namespace global TEXT' begins it"}
	}
	return s, err
}

// contents are the memory's Markdown files by their names in its folder.
func (s *site) contents() (map[string][]byte, error) {
	paths, err := s.files()
	if err != nil {
		return nil, fmt.Errorf("reading memory: %w", err)
	}
	files := map[string][]byte{}
	for _, path := range paths {
		data, err := readMemory(path)
		if err != nil {
			return nil, fmt.Errorf("reading memory: %w", err)
		}
		rel, err := filepath.Rel(s.Memory(), path)
		if err != nil {
			return nil, fmt.Errorf("reading memory: %w", err)
		}
		files[filepath.ToSlash(rel)] = data
	}
	return files, nil
}
