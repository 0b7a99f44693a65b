package msl

import (
	"context"
	"runtime/metrics"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/diag"
)

// cancelAfter is a context that is canceled after a number of checks.
type cancelAfter struct {
	context.Context
	asked, until int
	largest      uint64 // most bytes allocated between two checks
	last         uint64
}

func (p *cancelAfter) Err() error {
	now := allocated()
	if p.asked > 0 {
		p.largest = max(p.largest, now-p.last)
	}
	p.last = now
	if p.asked++; p.asked > p.until {
		return context.Canceled
	}
	return nil
}

func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// TestCancelAnywhere cancels the compilation of a long program at every stage. How long the
// compiler runs between checks is measured by its allocations, which do not depend on the machine:
// it allocates some 200 MiB per second.
func TestCancelAnywhere(t *testing.T) {
	src := manyKernels(t, 20).src
	all := &cancelAfter{Context: context.Background(), until: 1 << 30}
	m, diags := Compile(all, src, Options{Verify: true})
	require.Empty(t, diags, "%s", render(t, m, diags))
	assert.Less(t, all.largest, uint64(4<<20))
	assert.Greater(t, all.asked, 100)
	t.Logf("asked %d times, at most %d KiB apart", all.asked, all.largest>>10)
	for until := 0; until < all.asked; until += 1 + all.asked/30 {
		p := &cancelAfter{Context: context.Background(), until: until}
		_, diags := Compile(p, src, Options{Verify: true})
		require.Len(t, diags, 1, "%v", diags)
		assert.Equal(t, diag.Canceled, diags[0].Code)
		assert.LessOrEqual(t, p.asked, until+4)
	}
}

// TestConcurrent compiles programs concurrently.
func TestConcurrent(t *testing.T) {
	src := manyKernels(t, 2).src
	const workers = 4
	var modules [workers]*ir.Module
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() {
			m, _ := Compile(context.Background(), src, Options{Verify: true})
			modules[i] = m.IR
		})
	}
	wg.Wait()
	require.Len(t, modules[0].Funcs, 2)
	for _, m := range modules[1:] {
		assert.Equal(t, modules[0].String(), m.String())
	}
}
