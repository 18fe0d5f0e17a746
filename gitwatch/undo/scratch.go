package undo

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/gitwatch"
	"agentflow/gitwatch/edits"
	"agentflow/gitwatch/internal/git"
	"agentflow/internal/tempfolder"
	"agentflow/memory"
)

// scratch is a folder of objects and indexes that git writes, while it only reads those of the
// repository.
type scratch struct {
	repo   *gitwatch.Repo
	folder *tempfolder.Folder
}

// newScratch makes a scratch folder in a folder. "" means the system's folder for temporary files.
func newScratch(r *gitwatch.Repo, in string) (*scratch, error) {
	folder, err := tempfolder.New(in, "agentflow-git-")
	if err != nil {
		return nil, err
	}
	s := &scratch{repo: r, folder: folder}
	info := s.file("objects/info")
	if err := os.MkdirAll(info, 0o700); err != nil {
		return s, err
	}
	line := memory.QuotePath(filepath.Join(r.CommonDir(), "objects")) + "\n"
	return s, os.WriteFile(filepath.Join(info, "alternates"), []byte(line), 0o600)
}

func (s *scratch) close() error { return s.folder.Remove() }

func (s *scratch) file(name string) string { return s.folder.Path(filepath.FromSlash(name)) }

// command returns a command that runs git in the work tree, with the named scratch index.
func (s *scratch) command(ctx context.Context, index string, args ...string) (*exec.Cmd, error) {
	// A split index would put one of its parts into the repository.
	whole := []string{"-c", "core.splitIndex=false", "-c", "core.untrackedCache=false", "-c", "index.sparse=false"}
	cmd, err := git.Command(ctx, s.repo.Root(), slices.Concat(whole, s.noHooks(), args)...)
	if err != nil {
		return nil, err
	}
	cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+s.file(index))
	return cmd, nil
}

// noHooks points git to a folder without hooks. Otherwise writing an index runs post-index-change,
// and moving a reference runs reference-transaction.
func (s *scratch) noHooks() []string { return []string{"-c", "core.hooksPath=" + s.file("hooks")} }

// git runs git, which also writes objects into the scratch folder.
func (s *scratch) git(ctx context.Context, index string, stdin io.Reader, args ...string) ([]byte, error) {
	cmd, err := s.command(ctx, index, args...)
	if err != nil {
		return nil, err
	}
	cmd.Env = append(cmd.Env, "GIT_OBJECT_DIRECTORY="+s.file("objects"))
	return git.Run(ctx, cmd, args[0], stdin)
}

// put writes contents as an object with this id.
func (s *scratch) put(id string, data []byte) error {
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	fmt.Fprintf(w, "blob %d\x00", len(data))
	if _, err := w.Write(data); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	dir := s.file("objects/" + id[:2])
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, id[2:]), packed.Bytes(), 0o600)
}

// provide makes the contents of files available to git and returns, by blob id, why some are
// missing. paths names one path of each file, by which git converts its copy.
func (s *scratch) provide(ctx context.Context, archive *edits.Archive, paths map[edits.File]string) (map[string]error, error) {
	lacking := map[string]error{}
	var ask []string
	for f, path := range paths {
		switch {
		case !f.Exists() || f.Mode == git.ModeGitlink:
		case f.Hash == "":
			lacking[""] = edits.ErrNotKept
		case f.Kept == "":
			ask = append(ask, f.Hash)
		default:
			if err := s.restore(ctx, archive, path, f); err != nil {
				lacking[f.Hash] = err
			}
		}
	}
	missing, err := missingBlobs(ask, func(ids io.Reader, args ...string) ([]byte, error) {
		return s.git(ctx, "none", ids, args...)
	})
	for _, id := range missing {
		lacking[id] = edits.ErrNotKept
	}
	return lacking, err
}

// missingBlobs lists the ids for which git has no blob.
func missingBlobs(ids []string, ask func(stdin io.Reader, args ...string) ([]byte, error)) (missing []string, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	out, err := ask(strings.NewReader(git.Lines(ids)), "cat-file", "--batch-check=%(objectname) %(objecttype)")
	for line := range strings.Lines(string(out)) {
		if id, kind, _ := strings.Cut(strings.TrimSpace(line), " "); kind != "blob" {
			missing = append(missing, id)
		}
	}
	return missing, err
}

// restore puts the kept copy of a file among the objects, in the form that git stores.
func (s *scratch) restore(ctx context.Context, archive *edits.Archive, path string, f edits.File) error {
	data, err := archive.Contents(f)
	if err != nil {
		return err
	}
	return s.store(ctx, path, f.Hash, f.Kept, data)
}

// store writes the object with an id from the bytes on disk. The id of those bytes is raw. If the
// two ids differ, git converts the bytes.
func (s *scratch) store(ctx context.Context, path, id, raw string, data []byte) error {
	if raw == id {
		return s.put(id, data)
	}
	out, err := s.git(ctx, "none", bytes.NewReader(data), "hash-object", "-w", "--stdin", "--path="+path)
	if err == nil && strings.TrimSpace(string(out)) != id {
		err = errors.New("git converts it otherwise than it did")
	}
	return err
}

// indexLines returns entries in the form that git update-index --index-info reads. Files that do
// not exist are removed, first.
func indexLines(files map[string]edits.File, zero string) string {
	var gone, there strings.Builder
	for path, f := range files {
		if f.Exists() {
			fmt.Fprintf(&there, "%o %s\t%s\x00", f.Mode, f.Hash, path)
		} else {
			fmt.Fprintf(&gone, "0 %s\t%s\x00", zero, path)
		}
	}
	return gone.String() + there.String()
}

// zeroID returns git's id for "none".
func zeroID(r *gitwatch.Repo) string { return strings.Repeat("0", len(r.BlobID(nil))) }

// index sets entries of a scratch index, which need not exist yet.
func (s *scratch) index(ctx context.Context, name string, files map[string]edits.File) error {
	_, err := s.git(ctx, name, strings.NewReader(indexLines(files, zeroID(s.repo))), "update-index", "-z", "--index-info")
	return err
}

func (s *scratch) tree(ctx context.Context, index string) (string, error) {
	out, err := s.git(ctx, index, nil, "write-tree")
	return strings.TrimSpace(string(out)), err
}
