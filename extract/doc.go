// Package extract decides what of an agent's words is worth keeping: what the
// agent marks with a tag (Tagged), and what a model finds. It makes the question
// that the model is asked about one run, and checks the answer; other packages
// ask and write. It is pure.
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
// Not guaranteed: that a fact is true. It is what an agent said, as a model
// put it.
package extract
