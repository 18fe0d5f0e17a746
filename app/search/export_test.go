package search

// Names for the tests in package search_test.
var MergeHits = mergeHits
var RestFile = restFile
var StandsFor = standsFor
