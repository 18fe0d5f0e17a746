// Package gitwatch sees what a run changed in a git repository: it takes a
// snapshot before, and says afterwards which commits, files and work-tree
// edits are the run's, which moved beside it, and what could not be read.
//
// Guarantees: it never writes to the repository or its index (contents it
// needs later are copied into the run's own folder). Every list it returns
// is one of three answers, changed, clean or could not read, and a failed
// read is never the answer "clean"; a defect of its own, too, is "could not
// read". No file is opened that is none, whatever a repository calls so.
//
// It says of each change how sure it is that the run made it, by what the
// agent's tool calls tell (package calls), by the ctime of files and by the ref
// trace of the run's own process tree: shown, likely, possible, or somebody
// else's. A chain through the calls that wrote a file says whether somebody
// else's change is inside. What a run left is kept in its folder as package
// edits has it, if that is wanted.
//
// Two ways to read stand behind one interface: go-git with a reader of the
// index and the work tree of our own, and, for what they cannot read, the git
// program (SHA-256 ids, reftable, alternates, split and sparse indexes). Which
// it is shows before anything is read wrongly. Reading never uses the network.
//
// A snapshot costs no more than git status, and the second one of a Repo about
// six tenths: what one has read the next does not read again, while something
// vouches for it that any change moves. That is the index's checksum; for the
// names in a folder, and for contents that the index does not vouch for, a
// stat with inode and ctime, over two seconds old when it was taken. Folders
// are believed only on file systems known to keep their times (ext4, XFS,
// Btrfs, APFS and the like, not on network ones); tracked files are looked at
// each time. Memory is that of the index and of one file of at most 10 MB for
// each processor; no contents are held. All of it ends with its context.
//
// Not guaranteed: without a git program those shapes cannot be read, nor can
// extensions that the git at hand does not know; both are said to be so, and
// so is a file whose contents a partial clone left out. Files over 10 MB are
// compared by size and time, not by lines; lines of files behind a filter (as
// LFS) are not counted. Of a commit made by merging only what it resolved is
// the run's. Where there is no ctime that our clock understands (Windows,
// network file systems) nothing is likely; what a shell command and a person
// write into one file within one call cannot be told apart. Ignored files and
// nested repositories are not looked at, only named: of what comes to light
// there during a run, files whose ctime is older count as they are, and of
// others nobody knows what they held. Files that git was told to take for
// unchanged (assume-unchanged, skip-worktree) are looked at where they stand on
// disk.
//
// A Repo may be used by several goroutines: each call opens the object store
// anew, because an open handle does not see packs that git writes later.
package gitwatch
