package run

// Names for the tests in package run_test.
type EarlierRun = earlierRun

var NewRunner = newRunner
