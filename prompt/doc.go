// Package prompt puts recalled memory in front of a task.
//
// A prompt is, in this order: a block of recalled entries when there are any,
// the rule by which the agent's answer can be remembered, and the task, byte
// for byte as it was given. Every recalled line is quoted, so nothing that
// was recalled can end the block, look like a part of it, or stand outside.
// The block states facts and gives no orders: it is data about earlier work,
// and models rightly distrust injected text that speaks with authority.
//
// What an agent makes of the text is not guaranteed, of course: quoting shows
// what is data, it cannot make a model treat it so.
//
// The package is pure: the same input gives the same output, and it touches
// neither clock nor files.
package prompt
