// Package options says where one memory is and how its writers wait.
package options
