// Package memref moves shared memory by git: it fetches, reads, writes and pushes one ref,
// apart from the user's branches, index, work tree, stash and FETCH_HEAD. The git program
// does the work, so that remotes, credentials and proxies are as the user has them; it
// never asks for anything at the terminal.
package memref

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/repo"
)

// Repo is a repository, bare or not, by any folder that git finds it from. Its methods may
// be called from any goroutine.
type Repo struct {
	Dir string
	// Private says that Dir is a bare repository into which nothing but one Repo at a time
	// writes: a fetch into it is bounded, and Tidy may be used.
	Private bool
	// Top is the folder in which relative addresses of remotes begin, as they do for git: the
	// root of the work tree. Empty means Dir.
	Top string

	maxFetch int64         // for tests
	patience time.Duration // for tests
}

// Errors of a remote.
var (
	ErrNoRef   = errors.New("the remote has no such ref")
	ErrFaster  = errors.New("somebody else pushed meanwhile")
	ErrRefused = errors.New("the remote refuses the ref")
	ErrLink    = errors.New("the remote's ref is a symbolic ref")
)

// networkTime bounds one call that uses the network.
const networkTime = 2 * time.Minute

// unlogged keeps git from noting where refs were before, where the user's settings have it
// note that of all refs: a purge would not reach that.
func unlogged() []string { return []string{"-c", "core.logAllRefUpdates=false"} }

// ask runs git and returns what it writes.
func (r Repo) ask(ctx context.Context, stdin []byte, args ...string) (string, error) {
	return r.again(func() (string, error) {
		cmd, err := git.Command(ctx, r.Dir, append(unlogged(), args...)...)
		if err != nil {
			return "", err
		}
		cmd.Env = append(cmd.Env, "LC_ALL=C")
		out, err := git.Run(ctx, cmd, args[0], bytes.NewReader(stdin))
		if err != nil {
			err = cmp.Or(blocked(err.Error()), err)
		}
		return strings.TrimSuffix(string(out), "\n"), err
	})
}

// reach runs a git command that may use the network to a remote, and returns what it
// writes, however it ends.
func (r Repo) reach(ctx context.Context, remote string, args ...string) (string, error) {
	return r.again(func() (string, error) { return r.reachOnce(ctx, remote, args...) })
}

func (r Repo) reachOnce(ctx context.Context, remote string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(r.patience, networkTime))
	defer cancel()
	program, err := exec.LookPath("git")
	if err != nil {
		return "", git.ErrNoProgram
	}
	// Git's sparse way of packing visits each path of shared subtrees, of which a few
	// kilobytes have billions.
	settings := append(unlogged(), "-c", "core.fsmonitor=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "pack.useSparse=false")
	cmd := exec.CommandContext(ctx, program, append(settings, args...)...)
	cmd.Dir, cmd.WaitDelay = r.Dir, time.Second
	cmd.Env = git.Env(os.Environ())
	if info, err := os.Stat(r.Top); err == nil && info.IsDir() {
		cmd.Dir = r.Top
		cmd.Env = append(cmd.Env, "GIT_DIR="+r.Dir)
	}
	cmd.Env = append(cmd.Env, "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS=", "LC_ALL=C")
	cmd.Env = append(cmd.Env, r.quietSSH(ctx, remote)...)
	var said, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &complaint
	err = cmd.Run()
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay):
		return said.String(), nil
	case ctx.Err() != nil:
		return said.String(), fmt.Errorf("git %s: %w", args[0], context.Cause(ctx))
	}
	if known := blocked(complaint.String()); known != nil {
		return said.String(), known
	}
	return said.String(), fmt.Errorf("git %s: %s", args[0], cmp.Or(git.Reason(complaint.String()), err.Error()))
}

// quietSSH keeps ssh from asking at the terminal, unless the user has set how it is run, or
// the remote is reached without it.
func (r Repo) quietSSH(ctx context.Context, remote string) []string {
	for _, name := range []string{"GIT_SSH_COMMAND", "GIT_SSH", "GIT_SSH_VARIANT"} {
		if v := os.Getenv(name); v != "" {
			return []string{name + "=" + v} // which git.Env took away
		}
	}
	if repo.WithoutSSH(r.Dir, remote) {
		return nil
	}
	if set, err := r.ask(ctx, nil, "config", "core.sshCommand"); err == nil && set != "" {
		return nil
	}
	return []string{"GIT_SSH_COMMAND=ssh -oBatchMode=yes"}
}

// Fetch gets a ref of a remote and keeps it under another name here. ErrNoRef means that
// the remote has none.
func (r Repo) Fetch(ctx context.Context, remote, ref, into string) error {
	if r.Private {
		bounded, end := r.bounded(ctx)
		defer end()
		ctx = bounded
	}
	fetch := []string{"fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-gc", "--no-prune", "--no-filter", "--refmap=", remote, "+" + ref + ":" + into}
	_, err := r.reach(ctx, remote, fetch...)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		// The remote may search forever for the new objects if it packs in git's sparse way.
		_, err = r.reach(ctx, remote, append([]string{"-c", "fetch.negotiationAlgorithm=noop"}, fetch...)...)
	}
	if err != nil && r.Private {
		r.sweep()
	}
	switch {
	case err != nil && strings.Contains(err.Error(), "couldn't find remote ref"):
		return ErrNoRef
	case err != nil && strings.Contains(err.Error(), "cannot lock ref"): // a git that somebody left behind writes it too
		return ErrFaster
	}
	return err
}

// Refs are the refs below a prefix, with what they are at.
func (r Repo) Refs(ctx context.Context, prefix string) (map[string]string, error) {
	out, err := r.ask(ctx, nil, "for-each-ref", "--format=%(objectname) %(refname)", prefix)
	refs := map[string]string{}
	for line := range strings.SplitSeq(out, "\n") {
		if id, name, ok := strings.Cut(line, " "); ok {
			refs[name] = id
		}
	}
	return refs, err
}

// Tip is the commit that a ref is at, or that a tag there names; empty where there is none.
func (r Repo) Tip(ctx context.Context, ref string) (string, error) {
	commit, err := r.Look(ctx, ref+"^{commit}")
	return commit[0].ID, err
}

// Keep puts refs of this repository at commits, all or none; an empty one removes a ref.
func (r Repo) Keep(ctx context.Context, refs map[string]string) error {
	var b strings.Builder
	for ref, commit := range refs {
		if commit == "" {
			fmt.Fprintf(&b, "delete %s\n", ref)
		} else {
			fmt.Fprintf(&b, "update %s %s\n", ref, commit)
		}
	}
	_, err := r.ask(ctx, []byte(b.String()), "update-ref", "--stdin")
	return err
}

// overtaken is what git says where the remote's ref is not where it was.
var overtaken = []string{"stale info", "fetch first", "non-fast-forward", "cannot lock ref", "failed to update ref", "reference already exists", "incorrect old value"}

// Push puts a remote's ref at a commit, unless it is not at old any more (ErrFaster); old
// is empty where the remote must have none. ErrRefused means that the remote takes no such
// ref.
func (r Repo) Push(ctx context.Context, remote, commit, ref, old string) error {
	said, err := r.reach(ctx, remote, "push", "--porcelain", "--no-verify", "--quiet", "--no-recurse-submodules", "--no-follow-tags", "--no-signed", "--force-with-lease="+ref+":"+old, remote, commit+":"+ref)
	switch {
	case err == nil, errors.Is(err, ErrLocked), errors.Is(err, ErrTaken):
		return err
	case slices.ContainsFunc(overtaken, func(why string) bool { return strings.Contains(said+err.Error(), why) }):
		return ErrFaster
	case strings.Contains(said, "[remote rejected]"):
		return fmt.Errorf("%w %s: %s", ErrRefused, ref, rejection(said))
	}
	return err
}

// NoLink returns ErrLink where a remote's ref is another name of a branch, to which a push
// would go.
func (r Repo) NoLink(ctx context.Context, remote, ref string) error {
	said, err := r.reach(ctx, remote, "ls-remote", "--symref", remote, ref)
	for line := range strings.Lines(said) {
		if target, ok := strings.CutPrefix(strings.TrimSuffix(line, "\t"+ref+"\n"), "ref: "); ok {
			return fmt.Errorf("%w: %s of %s is %s", ErrLink, ref, remote, target)
		}
	}
	return err
}

// Has says which of some refs a remote has.
func (r Repo) Has(ctx context.Context, remote string, refs ...string) (map[string]bool, error) {
	said, err := r.reach(ctx, remote, append([]string{"ls-remote", remote}, refs...)...)
	found := map[string]bool{}
	for line := range strings.Lines(said) {
		_, ref, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		found[ref] = slices.Contains(refs, ref)
	}
	return found, err
}

// rejection is what the remote says.
func rejection(porcelain string) string {
	for line := range strings.Lines(porcelain) {
		if _, why, ok := strings.Cut(line, "[remote rejected]"); ok {
			return strings.Trim(strings.TrimSpace(why), "()")
		}
	}
	return "it does not say why"
}

// Author is the user's name as git has it; empty where it has none.
func (r Repo) Author(ctx context.Context) string {
	name, err := r.ask(ctx, nil, "config", "user.name")
	if err != nil {
		return ""
	}
	return name
}

// Remote says whether the repository has a remote of that name, or the name is an address.
func (r Repo) Remote(ctx context.Context, name string) bool {
	return r.Address(ctx, name) != name || strings.ContainsAny(name, "/:")
}

// Address returns the address of a remote as the repository has it, or the name if it has no
// remote of that name.
func (r Repo) Address(ctx context.Context, name string) string {
	address, err := r.ask(ctx, nil, "config", "remote."+name+".url")
	if err != nil {
		return name
	}
	return address
}
