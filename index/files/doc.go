// Package files says which files a task will touch: a linear model over files.
//
// The candidates are the paths that the newest entries of memory name, and
// those of the entries that a search found. Each has a number for each feature,
//
//	score(file) = Σ weight(feature) · feature(file)
//
// where a feature is divided by its largest value over the candidates, except
// those that are bounded by themselves. features.go has the features, each with
// its formula; weights.go the weights and the command that fits them to
// histories. What the work tree's files hold counts where it is known
// (index/contents); without it there are weights of their own.
//
// Of each entry a Block keeps what the features need, so that nothing else is
// read for a task: the window of newest entries, decoded into numbers.
//
// The package is pure: it reads no file and keeps no state.
package files
