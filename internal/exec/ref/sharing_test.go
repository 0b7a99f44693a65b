package ref

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/test/irtest"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// TestUniformityHolds: values that the analysis calls shared are equal in all threads that compute
// them in one instance.
func TestUniformityHolds(t *testing.T) {
	shared := map[ir.Sharing]int{}
	for seed := range uint64(16) {
		m := irtest.Kernel(rand.New(rand.NewPCG(seed, 3)), irtest.Config{Size: 120})
		f := m.Funcs[0]
		u := f.Uniformity()
		l := testlaunch.Launch{Grid: [3]int{90}, Group: [3]int{40}, Fuel: 1 << 30,
			Buffers: map[int]testlaunch.Buffer{0: {Data: make([]byte, irtest.Inputs), ReadOnly: true},
				1: {Data: make([]byte, 90*irtest.OutStride)}, 2: {Data: make([]byte, irtest.CounterBytes)}}}
		for i := range l.Buffers[0].Data {
			l.Buffers[0].Data[i] = byte(i * int(seed+3))
		}
		e, err := l.Exec()
		require.NoError(t, err)
		run := newMachine(context.Background(), f, e)
		type instance struct {
			res   *ir.Value
			group string
			iters string
		}
		first := map[instance][]uint64{}
		run.seen = func(th *thread, in *ir.Instr) {
			for _, r := range in.Results {
				by := u.Values[r.ID]
				key := instance{res: r}
				switch by {
				case ir.NotShared:
					continue
				case ir.SharedBySimdgroup:
					key.group = fmt.Sprint(th.g.pos, th.index/ir.SimdWidth)
				case ir.SharedByThreadgroup:
					key.group = fmt.Sprint(th.g.pos)
				}
				for _, fr := range th.frames {
					key.iters += fmt.Sprint(fr.iter, " ")
				}
				var have []uint64
				for i := range lanes(r) {
					have = append(have, th.get(r, i))
				}
				shared[by]++
				if want, ok := first[key]; !ok {
					first[key] = have
				} else if !assert.Equal(t, want, have, "seed %d: %v is called %v", seed, in.Op, by) {
					t.Logf("thread %d\n%s", th.index, m)
					t.FailNow()
				}
			}
		}
		require.NoError(t, run.run(), "seed %d", seed)
	}
	assert.NotZero(t, shared[ir.SharedByGrid])
	assert.NotZero(t, shared[ir.SharedByThreadgroup])
	assert.NotZero(t, shared[ir.SharedBySimdgroup])
	t.Log(shared)
}
