package fuzztest

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
)

// recorder records the failures of a test.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Helper()               {}
func (r *recorder) Fatalf(string, ...any) { r.failed = true }

func TestBound(t *testing.T) {
	for _, c := range []struct {
		name   string
		chunks int // of a MiB
		failed bool
	}{{"little", 1, false}, {"much", MaxAlloc>>20 + 16, true}} {
		t.Run(c.name, func(t *testing.T) {
			r := &recorder{TB: t}
			Bound(r, func() {
				for range c.chunks {
					runtime.KeepAlive(make([]byte, 1<<20))
				}
			})
			assert.Equal(t, c.failed, r.failed)
		})
	}
}
