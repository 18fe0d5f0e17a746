// Package schedule decides which jobs run when, and keeps what became of
// them.
//
// The decisions are pure: Job.Due has a job's past and the time, and says what
// is to be done. What was missed, asleep or switched off, is run once, however
// often it was missed; a job never runs beside itself; a clock that is set
// back runs nothing a second time. Loop carries the decisions out, and Store
// keeps the past, in a file that is replaced in one step.
//
// Not guaranteed: what nobody saw. A job is due only from the moment on that
// a daemon first saw it with this timetable.
package schedule
