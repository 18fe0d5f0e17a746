// Package consolidate keeps memory in order: it plans a change to the Markdown
// files, and makes none. A plan depends on nothing but its input, and a second
// plan over its result at the same time changes nothing, byte for byte.
//
// The rules, none of which asks a model:
//
//   - Facts that say the same, word for word but for case, space, punctuation
//     and articles, become one. It keeps the ids of all, and where each came
//     from.
//   - Of two values of one key in one namespace the newer stands; the older is
//     struck, with a pointer. supersedes= does the same. A pinned fact is
//     not struck by rule but reported.
//   - A fact that is important, or that several runs said, moves to MEMORY.md. One
//     there that holds no longer, or was not said again for long, moves to
//     archive/facts.md. No number is ever changed for it: how long a fact
//     stays follows from its importance and from when it was last said.
//   - MEMORY.md is kept within what agents load of it. The facts with the least
//     time left make room.
//   - Daily files of a certain age are folded into a file a month.
//   - Where the user wants it, old, unimportant or surplus facts are retired.
//
// A fact stays in MEMORY.md for 450 days after it was last said, times its
// importance: a year for 0.8. The same time left says who makes room first. An
// expired fact is not struck: its date says that it holds no longer. Retention
// retires it as any other, before what still holds; facts of a run or a branch
// age like all, and are never promoted.
//
// Entries of a month stand by days, each day as its files held it; a daily file
// that comes late goes behind what its day has already.
//
// A model can be asked about pairs that are only possible (Batches). Its proposals
// are checked against the facts, and then planned as the rules are: a merge must
// keep, and may not add, any number, name, path, condition or negation, and
// nothing that a person wrote or pinned is merged or struck by it. That a
// merged text reads as its facts did is checked by its words, not understood.
//
// Text that a person wrote is kept byte for byte and is never moved, but with
// the daily file it stands in. So is a bullet without an id. Facts with the
// same id and different texts, and files that would not read the same after a
// change, are left alone and reported.
package consolidate
