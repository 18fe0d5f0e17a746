package eval

// Names for the tests in package eval_test.
var Measuring = measuring
