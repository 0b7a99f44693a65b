package profile_test

import (
	"slices"
	"time"
)

func median(times []time.Duration) float64 {
	slices.Sort(times)
	return float64(times[len(times)/2])
}
