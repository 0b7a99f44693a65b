package journal

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec/message"
	"github.com/puremetal/puremetal/internal/ir"
)

// printing returns an instruction that prints a number, and its module, which has one log.
func printing(t *testing.T, level ir.LogLevel) (*ir.Instr, *ir.Module) {
	t.Helper()
	m := &ir.Module{Logs: []ir.Log{{Subsystem: "s", Category: "c"}}, Files: []string{"a.metal"}}
	b := ir.NewBuilder(m.NewFunc("k"))
	b.SetLoc(ir.Loc{File: 1, Line: 7})
	in := b.Print(level, "%d", b.Int(ir.TI32, 1), b.Int(ir.TI32, 0))
	b.Return()
	require.NoError(t, m.Verify())
	return in, m
}

// texts returns what entries say.
func texts(entries []Entry) (out []string) {
	for _, e := range entries {
		out = append(out, e.Text)
	}
	return out
}

func TestLevels(t *testing.T) {
	r := NewRecorder(New(ir.LogNotice, MinSize))
	r.Begin()
	for level := ir.LogDebug; level <= ir.LogFault; level++ {
		in, m := printing(t, level)
		r.Message(&message.Message{Print: in, Module: m, Log: 1, Words: []uint64{uint64(level)},
			Thread: [3]int{int(level), 2, 1}})
	}
	r.End()
	entries, dropped := r.Take()
	assert.Zero(t, dropped)
	log := ir.Log{Subsystem: "s", Category: "c"}
	assert.Equal(t, []Entry{
		{Log: log, Level: ir.LogNotice, Text: "3", File: "a.metal", Line: 7, Thread: [3]int{3, 2, 1}},
		{Log: log, Level: ir.LogError, Text: "4", File: "a.metal", Line: 7, Thread: [3]int{4, 2, 1}},
		{Log: log, Level: ir.LogFault, Text: "5", File: "a.metal", Line: 7, Thread: [3]int{5, 2, 1}}}, entries)
}

// TestFull: what does not fit is dropped, with all after it, and the buffer is free again when the
// messages have been taken.
func TestFull(t *testing.T) {
	const fit = MinSize / (messageBytes + wordBytes)
	j := New(ir.LogDebug, MinSize)
	in, m := printing(t, ir.LogInfo)
	r := NewRecorder(j)
	dispatch := func(n int) {
		r.Begin()
		for i := range n {
			r.Message(&message.Message{Print: in, Module: m, Group: int64(i / 4), Words: []uint64{uint64(i)}})
		}
		r.End()
	}
	for range 3 {
		dispatch(fit - 1)
		dispatch(5)
		dispatch(1)
		entries, dropped := r.Take()
		assert.Len(t, entries, fit)
		assert.Equal(t, int64(5), dropped)
		assert.Equal(t, "0", entries[fit-1].Text)
		assert.Zero(t, j.used.Load())
	}
	dispatch(1)
	other := NewRecorder(j)
	other.Begin()
	for range fit {
		other.Message(&message.Message{Print: in, Module: m, Words: []uint64{0}})
	}
	other.End()
	entries, dropped := other.Take()
	assert.Len(t, entries, fit-1, "command buffers share the buffer")
	assert.Equal(t, int64(1), dropped)
	r.Take()
	assert.Zero(t, j.used.Load())
}

// TestOrder: which messages are kept, and their order, do not depend on the order in which
// threadgroups run; nor does memory grow.
func TestOrder(t *testing.T) {
	in, m := printing(t, ir.LogInfo)
	const groups, each = 64, 3
	run := func(order []int, workers int, size int64) ([]string, int64) {
		r := NewRecorder(New(ir.LogDebug, size))
		r.Begin()
		work := make(chan int)
		var all sync.WaitGroup
		for range workers {
			all.Add(1)
			go func() {
				defer all.Done()
				for g := range work {
					for i := range each {
						r.Message(&message.Message{Print: in, Module: m, Group: int64(g), Words: []uint64{uint64(g*each + i)}})
					}
				}
			}()
		}
		for _, g := range order {
			work <- g
		}
		close(work)
		all.Wait()
		assert.LessOrEqual(t, r.bytes, 2*size+int64(messageBytes+wordBytes))
		r.End()
		entries, dropped := r.Take()
		return texts(entries), dropped
	}
	order := make([]int, groups)
	for i := range order {
		order[i] = i
	}
	random := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int64{0, 40, MinSize, 2 * MinSize, DefaultSize} {
		want, dropped := run(order, 1, size)
		assert.Len(t, want, int(min(size/(messageBytes+wordBytes), groups*each)))
		assert.Equal(t, int64(groups*each-len(want)), dropped)
		for i, s := range want {
			assert.Equal(t, fmt.Sprint(i), s)
		}
		for range 10 {
			other := slices.Clone(order)
			random.Shuffle(groups, func(i, j int) { other[i], other[j] = other[j], other[i] })
			for _, workers := range []int{1, 4} {
				have, lost := run(other, workers, size)
				assert.Equal(t, want, have)
				assert.Equal(t, dropped, lost)
			}
		}
	}
}

// TestFullMemory: threadgroups whose messages do not fit take no memory, however many they are.
func TestFullMemory(t *testing.T) {
	in, m := printing(t, ir.LogInfo)
	r := NewRecorder(New(ir.LogDebug, 3*(messageBytes+wordBytes)))
	for _, words := range []int{1, 50} { // what fits at first, and what never does
		r.Begin()
		const groups = 1000
		for i := range groups {
			r.Message(&message.Message{Print: in, Module: m, Group: int64((i + groups/2) % groups),
				Words: make([]uint64, words)})
		}
		assert.LessOrEqual(t, len(r.groups), 6)
		r.End()
		entries, dropped := r.Take()
		assert.Len(t, entries, map[int]int{1: 3}[words])
		assert.EqualValues(t, groups-len(entries), dropped)
	}
}

// TestTurns: dispatches that begin at the same time keep their messages together.
func TestTurns(t *testing.T) {
	in, m := printing(t, ir.LogInfo)
	r := NewRecorder(New(ir.LogDebug, DefaultSize))
	var all sync.WaitGroup
	for i := range 8 {
		all.Add(1)
		go func() {
			defer all.Done()
			r.Begin()
			defer r.End()
			for range 100 {
				r.Message(&message.Message{Print: in, Module: m, Words: []uint64{uint64(i)}})
			}
		}()
	}
	all.Wait()
	entries, dropped := r.Take()
	assert.Zero(t, dropped)
	assert.Len(t, slices.Compact(texts(entries)), 8)
	assert.Len(t, entries, 800)
}
