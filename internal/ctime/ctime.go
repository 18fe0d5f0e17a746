// Package ctime tells when a file was last changed in any way: its contents,
// its mode, its name. Unlike the modification time a program cannot set it.
package ctime
