// Package archive keeps the changes that undo can take back, each in a file with its memory files before and after.
//
// Guarantees: the last ten changes of each command are kept, up to 32 MB. A damaged file counts as not kept. After
// PurgeKept, no kept change holds a purged text.
//
// Not guaranteed: a remembered fact is kept without a sync, so that after a crash of the machine it may be impossible to
// take back.
package archive
