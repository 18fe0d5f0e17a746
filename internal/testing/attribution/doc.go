// Package attribution holds what the watcher says of a run, and what undo
// takes back of it, to an oracle. Its tests let an agent, a person and other
// runs work in one repository at the same time and copy the work tree before
// and after every step, so that of each path it is known who wrote what.
package attribution
