package links

import (
	"slices"
	"strings"

	"agentflow/gitwatch/history"
	"agentflow/gitwatch/internal/git"
	"agentflow/memory"
	"agentflow/memory/changeset"
	"agentflow/memory/retrieval"
)

// trail is the part of an entry by which its commits are recognised.
type trail struct {
	Entry string           `json:"entry"` // id of the entry
	Links []retrieval.Link `json:"links"` // its commits, oldest first, with the result for each
	Patch []string         `json:"patch,omitempty"`
	Time  int64            `json:"time"`            // of the entry, Unix seconds; its commits are not older
	Paths []pathBlob       `json:"paths,omitempty"` // the final contents that its commits gave them
	Whole bool             `json:"whole,omitempty"` // Paths are all paths that its commits changed, with all blobs known
}

// pathBlob is the contents of one path: see changeset.ShortBlob.
type pathBlob struct {
	Path git.Name `json:"path"`
	Blob string   `json:"blob"`
}

func trailOf(e *memory.Entry) *trail {
	c := &trail{Entry: e.ID, Time: e.Time.Unix()}
	for _, commit := range e.Commits {
		c.Links = append(c.Links, retrieval.Link{ID: commit.ID, State: retrieval.LinkUnknown})
	}
	// Entries of older versions hold no empty patch ids, so patch ids can be assigned only if none
	// is missing.
	if n := len(e.Commits); len(e.Patch) == n || n > 1 && len(e.Patch) == n+1 {
		c.Patch = e.Patch
	}
	c.Paths, c.Whole = pathBlobs(e.Changes)
	return c
}

// pathBlobs returns the final contents in a list of changes, with a rename as two paths. whole
// reports that none is missing.
func pathBlobs(l changeset.List) (paths []pathBlob, whole bool) {
	whole = l.Unread == "" && len(l.Items) > 0
	for _, ch := range l.Items {
		if ch.Status == changeset.StatusFolder || ch.Blob == "" {
			whole = false
			continue
		}
		paths = append(paths, pathBlob{git.Name(ch.Path), ch.Blob})
		if ch.Status == changeset.StatusRenamed {
			paths = append(paths, pathBlob{git.Name(ch.OldPath), changeset.NoBlob})
		}
	}
	return paths, whole
}

// patch returns the patch id of the i-th commit, or "" if it is unknown.
func (c *trail) patch(i int) string {
	if i < len(c.Patch) {
		return c.Patch[i]
	}
	return ""
}

// netPatch returns the patch id of all commits together, or "" if it is unknown, or there is only
// one commit.
func (c *trail) netPatch() string {
	if n := len(c.Links); n > 1 {
		return c.patch(n)
	}
	return ""
}

// open returns the indexes of the commits without a result, or that are gone.
func (c *trail) open() (list []int) {
	for i, l := range c.Links {
		if l.State == retrieval.LinkUnknown || l.State == retrieval.LinkGone {
			list = append(list, i)
		}
	}
	return list
}

func (c *trail) hasPatch() bool {
	return slices.ContainsFunc(c.Patch, func(p string) bool { return p != "" })
}

func (c *trail) settle(i int, state retrieval.LinkState, now string) {
	c.Links[i].State, c.Links[i].Now = state, now
}

func (c *trail) hasCommit(id string) bool {
	return slices.ContainsFunc(c.Links, func(l retrieval.Link) bool { return l.ID == id })
}

// fill completes a trail from its own commits, as far as git still has them.
func (c *trail) fill(commits map[string]history.Commit, patches map[string]string) {
	patch := make([]string, len(c.Links), len(c.Links)+1)
	var steps []changeset.Change
	all := true
	for i, l := range c.Links {
		patch[i] = patches[l.ID]
		own, ok := commits[l.ID]
		all = all && ok && len(own.Parents) < 2
		steps = append(steps, own.Files...)
	}
	if len(c.Patch) == 0 {
		c.Patch = patch
	}
	if all && !c.Whole {
		c.Paths, c.Whole = pathBlobs(changeset.List{Items: netChanges(steps)})
	}
}

// netChanges keeps the last change of each path. A path that was added and deleted again changed
// nothing.
func netChanges(steps []changeset.Change) (list []changeset.Change) {
	at := map[string]int{}
	added := map[string]bool{}
	for _, s := range steps {
		i, again := at[s.Path]
		if !again {
			i = len(list)
			at[s.Path], added[s.Path] = i, s.Status == changeset.StatusAdded
			list = append(list, s)
		}
		list[i] = s
	}
	return slices.DeleteFunc(list, func(s changeset.Change) bool { return added[s.Path] && s.Status == changeset.StatusDeleted })
}

// blobsByPath maps the paths that a commit changed to their blobs, with a rename as two paths.
func blobsByPath(files []changeset.Change) map[string]string {
	blobs := make(map[string]string, len(files))
	for _, f := range files {
		blobs[f.Path] = f.Blob
		if f.Status == changeset.StatusRenamed {
			blobs[f.OldPath] = changeset.NoBlob
		}
	}
	return blobs
}

// matches reports whether a commit gave every path of a trail the contents that the trail's commits
// gave it. Deletions without other changes prove nothing.
func (c *trail) matches(blobs map[string]string) bool {
	if !c.Whole || len(c.Paths) > len(blobs) {
		return false
	}
	telling := false
	for _, p := range c.Paths {
		blob, ok := blobs[string(p.Path)]
		if !ok || !strings.HasPrefix(blob, p.Blob) {
			return false
		}
		telling = telling || p.Blob != changeset.NoBlob
	}
	return telling
}
