// Package extract decides which of an agent's and a user's words become facts: those that the
// agent marks with a tag (Tagged), and those that a model finds. It makes the question for the
// model about one run, or about turns of a session, and checks the answer. Other packages ask
// the question and store the facts. It is pure.
//
// The model is not trusted: it has read the words of an agent that has read untrusted text. Its
// answer becomes at most a few short facts, each with a confidence that shows its origin. Check
// refuses secrets, statements about one task, text of the prompt, facts that memory has or was
// asked to forget, names, numbers and paths that the agent did not mention, changes of facts
// that a person wrote or pinned, and orders to the reader of memory. A useful fact that is
// refused is lost, and nothing else is.
//
// A fact that only the user stated needs a quote. It is accepted if the complete sentence
// around the quote says that it applies to later work ("always", "I prefer", "we use") and is
// not about the current work (see standing). It still counts as a proposal of the model, and
// never as the user's writing.
//
// Not guaranteed: that a fact is true. It is the statement of an agent, in the words of a
// model.
package extract
