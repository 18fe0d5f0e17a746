// Package folder reads and writes the folder of Markdown files.
//
// Guarantees: no method follows a link below the memory folder, or writes outside of the work tree. Step replaces a file
// only if it holds what the caller expects. Write reports whether the file at the path is the one that it wrote to.
//
// Not guaranteed: a file that an editor rewrites in place at the moment of a Write can get the bytes of both.
package folder
