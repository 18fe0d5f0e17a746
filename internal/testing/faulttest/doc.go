// Package faulttest makes system calls of real programs fail, for tests.
//
// A program is started under a seccomp filter that passes every call that could
// change a file, from the program or its children, to the test, which allows it
// or answers with an error. The calls come one at a time and in order, across
// all threads and processes, so that they can be counted. Allowed calls are
// made by the program itself. It works only on Linux on amd64.
//
// Not seen: changes through memory that is mapped from a file.
package faulttest
