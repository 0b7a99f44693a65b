package observe_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/analyze/event"
	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/exec/observe"
	"github.com/puremetal/puremetal/internal/exec/vm"
)

// byAddress passes accesses on without their rows, so that each address is looked at.
type byAddress struct {
	*observe.Launch
	rows *int // accesses that have rows
}

func (b byAddress) GroupBegin(g *hook.Group) {
	b.Launch.GroupBegin(g)
	g.Lean = false
}

func (b byAddress) plain(a *hook.Access) *hook.Access {
	if a.Rows != nil {
		*b.rows++
	}
	a.Rows = nil
	return a
}

func (b byAddress) Load(a *hook.Access)   { b.Launch.Load(b.plain(a)) }
func (b byAddress) Store(a *hook.Access)  { b.Launch.Store(b.plain(a)) }
func (b byAddress) Atomic(a *hook.Access) { b.Launch.Atomic(b.plain(a)) }

// TestRows: accesses that the engine describes by rows have the figures of their addresses, in
// threadgroups of one to three dimensions that fill their simdgroups or do not, at the edges of a
// grid, and in branches.
func TestRows(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	rows := 0
	for n := range 150 {
		index := func() string {
			term := []string{"p.x", "p.y", "p.z", "q.x", "q.y", "q.z", "i", "p.x / 2", "i % 4", "k"}
			s := fmt.Sprint(r.IntN(40))
			for range 1 + r.IntN(3) {
				s += fmt.Sprintf(" + %s * %d", term[r.IntN(len(term))], 1+r.IntN(40))
			}
			return s
		}
		condition := []string{"true", "q.x > 2", "p.y % 2 == 0", "i % 3 == k % 3"}[r.IntN(4)]
		j := job{source: fmt.Sprintf(`kernel void k(device float *a [[buffer(0)]], device float4 *b [[buffer(1)]],
			device atomic_uint *c [[buffer(2)]], uint3 p [[thread_position_in_grid]],
			uint3 q [[thread_position_in_threadgroup]], uint i [[thread_index_in_threadgroup]]) {
			threadgroup float s[4096];
			for (uint k = 0; k < 3; k++) {
				if (%s) {
					a[%s] = a[%s];
					s[(%s) %% 4096] = b[%s].x;
					a[i] += s[(i * %d + k) %% 4096];
					atomic_fetch_add_explicit(&c[(%s) %% 4096], 1, memory_order_relaxed);
				}
			}
		}`, condition, index(), index(), index(), index(), r.IntN(40), index()),
			group: [][3]int{{32, 2, 1}, {64, 1, 1}, {16, 4, 1}, {8, 4, 4}, {5, 7, 3}, {1, 32, 2}, {20, 3, 1}, {70, 1, 1},
				{2, 1, 40}, {4, 10, 6}}[r.IntN(10)],
			buffers: [][]byte{words(1 << 14), words(1 << 14), words(4096)}}
		j.grid = j.group
		for d := range 3 {
			j.grid[d] += r.IntN(j.group[d] + 1)
		}
		f := j.kernel(t)
		var results [2]*event.Launch
		for way := range results {
			l := j.prepare()
			o, err := observe.New(l, observe.Options{ReuseThreadgroups: 2})
			require.NoError(t, err)
			if l.Hook = o; way == 0 {
				l.Hook = byAddress{o, &rows}
			}
			e := exec.NewEngine(1)
			require.NoError(t, e.Run(context.Background(), exec.NewKernel(f, exec.Options{Backend: vm.Backend{}}), l))
			e.Close()
			results[way] = o.Result(f, nil)
			results[way].Start, results[way].End = time.Time{}, time.Time{}
		}
		require.Equal(t, results[0], results[1], "%d: grid %v, threadgroup %v\n%s", n, j.grid, j.group, j.source)
	}
	assert.Greater(t, rows, 2000)
}
