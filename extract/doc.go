// Package extract decides what of an agent's words is worth keeping, and of a
// user's: what the agent marks with a tag (Tagged), and what a model finds. It makes
// the question that the model is asked about one run, or about turns of a session,
// and checks the answer; other packages ask and write. It is pure.
//
// The model is not trusted: it has read the words of an agent that has read
// the words of strangers. Whatever it answers becomes at most a few short
// facts, each with a confidence that says where it came from. Refused are
// secrets, what concerns one task only, text of the prompt, what memory says
// already or was told to forget, names, numbers and paths that the agent did
// not say, changes of facts that a person wrote or pinned, and text that gives
// orders to whoever reads it. A refused fact may be worth knowing after all: that fact is
// lost, and nothing else is.
//
// What only the user said has to be quoted by the model, and is taken where the
// whole sentence around the quote says that it is to hold later ("always", "I
// prefer", "we use") and nothing in it is about the work at hand (see standing). It
// is no less a proposal of the model for that: nobody takes it for the user's own
// writing.
//
// Not guaranteed: that a fact is true. It is what an agent said, as a model
// put it.
package extract
