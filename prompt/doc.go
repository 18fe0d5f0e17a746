// Package prompt puts recalled memory in front of a task.
//
// A prompt is, in this order: a block of recalled entries when there are any,
// the rule by which the agent's answer can be remembered, and the task, byte
// for byte as it was given. Every recalled line is quoted, so no recalled text
// can end the block, look like a part of it, or appear outside.
// The block states facts and gives no orders: it is data about earlier work,
// and models rightly distrust injected text that speaks with authority.
//
// Not guaranteed: what an agent makes of the text. Quoting marks the data, but
// cannot make a model treat it as data.
//
// The package is pure: the same input gives the same output, and it touches
// neither clock nor files.
package prompt
