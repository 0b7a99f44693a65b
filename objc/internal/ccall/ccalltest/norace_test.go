//go:build !race

package ccalltest_test

const raceEnabled = false
