// Package memref moves shared memory with git: it fetches, reads, writes and pushes one ref,
// separate from the user's branches, index, work tree, stash and FETCH_HEAD. It uses the git
// program, so that remotes, credentials and proxies are as the user set them up. It never prompts
// at the terminal.
//
// If the remote is a folder of this machine, files can show that nothing is new. In all other
// cases git is asked. Lock files of our refs that are older than any git process are removed.
// An error names other lock files. Only repositories that AgentFlow owns (a team server's, and
// that of the user's own memory) are packed and pruned here. In the user's repositories git's
// own maintenance does that, except after a purge. A fetch into a repository of AgentFlow ends
// if it brings more than 1 GiB. List reads at most 4 MiB of the list of a tree.
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

// Repo is a repository, bare or not, given by any folder that git finds it from. Its methods may be
// called from any goroutine.
type Repo struct {
	Dir string
	// Private says that Dir is a bare repository that only one Repo at a time writes to. A fetch
	// into it is bounded, and Tidy may be used.
	Private bool
	// Top is the folder that relative addresses of remotes start from, as they do for git: the root
	// of the work tree. Empty means Dir.
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

// unlogged keeps git from logging earlier values of refs, in case the user's settings make it log
// those of all refs. A purge would not reach these logs.
func unlogged() []string { return []string{"-c", "core.logAllRefUpdates=false"} }

// ask runs git and returns its output.
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

// reach runs a git command that may use the network to a remote. It returns the output even if the
// command fails.
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
	// Git's sparse way of packing visits each path of shared subtrees, and a few kilobytes can have
	// billions of paths.
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

// quietSSH keeps ssh from prompting at the terminal, unless the user has set how it is run, or the
// remote is reached without it.
func (r Repo) quietSSH(ctx context.Context, remote string) []string {
	for _, name := range []string{"GIT_SSH_COMMAND", "GIT_SSH", "GIT_SSH_VARIANT"} {
		if v := os.Getenv(name); v != "" {
			return []string{name + "=" + v} // git.Env removed it
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

// Fetch fetches a ref of a remote and stores it under another name here. ErrNoRef means that the
// remote has none.
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
	case err != nil && strings.Contains(err.Error(), "cannot lock ref"): // a git that another process left behind writes it too
		return ErrFaster
	}
	return err
}

// Refs returns the refs below a prefix, with their ids.
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

// Tip returns the commit that a ref is at, or that a tag there names. It returns "" if there is
// none.
func (r Repo) Tip(ctx context.Context, ref string) (string, error) {
	commit, err := r.Look(ctx, ref+"^{commit}")
	return commit[0].ID, err
}

// Keep sets refs of this repository to commits, all or none. An empty commit removes a ref.
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

// overtaken lists messages of git that mean that the remote's ref has moved.
var overtaken = []string{"stale info", "fetch first", "non-fast-forward", "cannot lock ref", "failed to update ref", "reference already exists", "incorrect old value"}

// Push sets a remote's ref to a commit, unless it is no longer at old (ErrFaster). old is empty if
// the remote must not have the ref. ErrRefused means that the remote does not accept such a ref.
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

// NoLink returns ErrLink if a remote's ref is another name of a branch, because a push would then
// go to that branch.
func (r Repo) NoLink(ctx context.Context, remote, ref string) error {
	said, err := r.reach(ctx, remote, "ls-remote", "--symref", remote, ref)
	for line := range strings.Lines(said) {
		if target, ok := strings.CutPrefix(strings.TrimSuffix(line, "\t"+ref+"\n"), "ref: "); ok {
			return fmt.Errorf("%w: %s of %s is %s", ErrLink, ref, remote, target)
		}
	}
	return err
}

// Has returns which of some refs a remote has.
func (r Repo) Has(ctx context.Context, remote string, refs ...string) (map[string]bool, error) {
	said, err := r.reach(ctx, remote, append([]string{"ls-remote", remote}, refs...)...)
	found := map[string]bool{}
	for line := range strings.Lines(said) {
		_, ref, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		found[ref] = slices.Contains(refs, ref)
	}
	return found, err
}

// rejection returns the reason that the remote gives.
func rejection(porcelain string) string {
	for line := range strings.Lines(porcelain) {
		if _, why, ok := strings.Cut(line, "[remote rejected]"); ok {
			return strings.Trim(strings.TrimSpace(why), "()")
		}
	}
	return "it does not say why"
}

// Author returns the user's name in git's settings, or "" if there is none.
func (r Repo) Author(ctx context.Context) string {
	name, err := r.ask(ctx, nil, "config", "user.name")
	if err != nil {
		return ""
	}
	return name
}

// Remote reports whether the repository has a remote of that name, or the name is an address.
func (r Repo) Remote(ctx context.Context, name string) bool {
	return r.Address(ctx, name) != name || strings.ContainsAny(name, "/:")
}

// Address returns the address of a remote in the repository's settings, or the name if the
// repository has no remote of that name.
func (r Repo) Address(ctx context.Context, name string) string {
	address, err := r.ask(ctx, nil, "config", "remote."+name+".url")
	if err != nil {
		return name
	}
	return address
}
