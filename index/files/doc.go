// Package files predicts the files that a task will touch: a linear model over files.
//
// The candidates are the paths that the newest entries of memory name, and
// those of the entries that a search found. Each has a number for each feature,
//
//	score(file) = Σ weight(feature) · feature(file)
//
// where a feature is divided by its largest value over the candidates, except for
// features with fixed bounds. features.go has the features, each with
// its formula; weights.go the weights and the command that fits them to
// histories. The contents of the work tree's files count if they are known
// (index/contents). Otherwise a separate set of weights is used.
//
// A Block stores the data of each entry that the features need, so that a task reads only
// the window of newest entries, decoded into numbers.
//
// The package is pure: it reads no file and keeps no state.
package files
