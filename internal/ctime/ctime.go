// Package ctime finds when a file last changed in any way: its contents, its
// mode or its name. Unlike the modification time, a program cannot set this
// time.
package ctime
