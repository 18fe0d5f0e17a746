package share

// Names for the tests in package share_test.
var Clone = clone
