package telemetry

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestWatch: a key that becomes slow is reported once, and once more when it is well again; single
// outliers and other keys do not matter.
func TestWatch(t *testing.T) {
	w := newBaselineWatch[string](baselineOptions{Learn: 5, Window: 5, Slow: 2, Well: 1.5, Keys: 2})
	var changes []baselineChange[string]
	add := func(key string, n int, d time.Duration) {
		for range n {
			if c, changed := w.Add(key, d); changed {
				changes = append(changes, c)
			}
		}
	}
	add("a", 5, 10)
	add("b", 5, 100)
	add("a", 5, 11)
	add("a", 2, 1000)
	add("a", 5, 12)
	add("b", 20, 110)
	require.Empty(t, changes)
	add("a", 20, 25)
	require.Equal(t, []baselineChange[string]{{"a", true, 10, 25}}, changes)
	require.Equal(t, 1, w.Slow())
	add("a", 20, 17)
	require.Len(t, changes, 1, "not well yet")
	add("a", 20, 13)
	require.Equal(t, baselineChange[string]{"a", false, 10, 13}, changes[1])
	require.Zero(t, w.Slow())
	add("a", 20, 30)
	require.Len(t, changes, 3)
	add("c", 5, 1)
	add("c", 50, 1000)
	require.Len(t, changes, 3, "there are too many keys")
}

// TestDefaults: zero options mean the defaults.
func TestDefaults(t *testing.T) {
	w := newBaselineWatch[int](baselineOptions{})
	for range 69 {
		_, changed := w.Add(1, time.Second)
		require.False(t, changed)
	}
	changes := 0
	for range 100 {
		if _, changed := w.Add(1, 1600*time.Millisecond); changed {
			changes++
		}
	}
	require.Equal(t, 1, changes)
}
