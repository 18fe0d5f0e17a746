package daemon

// Names for the tests in package daemon_test.
const CodeTimedOut = codeTimedOut
const MostAlone = mostAlone

type DaemonForTest = daemon
type FactWatch = factWatch

var FollowersOf = followersOf
var JobOutcome = jobOutcome
var LockWatch = lockWatch
var NewDaemon = newDaemon
