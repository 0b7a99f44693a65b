//go:build linux && !race

package ccalltest_test

const raceEnabled = false
