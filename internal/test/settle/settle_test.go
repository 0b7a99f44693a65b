package settle

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// recorder is a test that keeps what fails it.
type recorder struct {
	testing.TB
	left   time.Duration
	failed []string
}

func (r *recorder) Helper()                     {}
func (r *recorder) Deadline() (time.Time, bool) { return time.Now().Add(r.left), true }
func (r *recorder) Errorf(format string, args ...any) {
	r.failed = append(r.failed, format)
}

// TestSettles: a count that gets there later passes, one that never does fails after the limit, and
// each call looks at least once.
func TestSettles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &recorder{TB: t, left: 40 * time.Second}
		require.Equal(t, 10*time.Second, Limit(r))
		began := time.Now()
		count := func() int { return max(0, 5-int(time.Since(began)/time.Second)) }
		assert.True(t, Equal(r, "objects", 1, count))
		assert.WithinRange(t, time.Now(), began.Add(4*time.Second), began.Add(5*time.Second))
		assert.True(t, AtMost(r, "objects", 0, count))
		assert.True(t, Until(r, "over", func() bool { return true }))
		assert.Empty(t, r.failed)
		began = time.Now()
		assert.False(t, AtMost(r, "objects", -1, count))
		assert.False(t, Equal(r, "objects", -1, count))
		assert.False(t, Until(r, "never", func() bool { return false }))
		assert.WithinRange(t, time.Now(), began.Add(30*time.Second), began.Add(31*time.Second))
		assert.Len(t, r.failed, 3)
		last := errors.New("last")
		assert.ErrorIs(t, wait(0, func() error { return last }), last)
	})
}
