// Package git holds what the packages of gitwatch share about git itself: how
// its program is run, and its ids, names, modes and blobs.
//
// Guarantees: the program is run without optional locks, file monitor and
// network, and without the variables that, inside a hook, name another
// repository. What cannot be read as an id is none.
//
// It knows nothing of repositories: it neither finds nor reads them.
package git
