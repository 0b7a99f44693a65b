package ref_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/message"
	"github.com/puremetal/puremetal/internal/exec/ref"
	"github.com/puremetal/puremetal/internal/exec/vm"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/test/exectest"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

const messages = `#include <metal_stdlib>
#include <metal_logging>
using namespace metal;
constant os_log kernels("com.example", "kernels");
constant os_log others("com.example", "others");
enum Fruit { apple, pear = 7 };
void tell(os_log log, int v) { log.log_debug("told %d", v); }
kernel void k(device float *p [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    int n = 0;
    if (i == 3) {
        os_log_default.log("plain");
        os_log_default.log_info("%d %i %u %x %#X %o %c|%5d|%-5d|%05d", -1, short(-2), uchar(200), 255, 255u, 8, 'A', 42, 42, 42);
        os_log_default.log_error("%f %.2e %g %.1v4f %hhd %ld %lu", p[0], half(0.5h), bfloat(2.0f), float4(1, 2, 3, 4), 300, -5l, 5ul);
        kernels.log_fault("%v2d %v3hhu %d %d 100%%", int2(1, -2), uchar3(1, 2, 255), true, pear);
        others.log_with_type(os_log_type_debug, "%s and %6s|%-4s|", "text", "ab", "c");
        kernels.log_with_type(os_log_type_default, "%v2f", half2(1, 2));
        tell(i > 2 ? others : kernels, 5);
        kernels.log("counted %d", n++);
        os_log("", "").log("no name");
        os_log_default.log("%q %d", 1, 2);
        os_log_default.log("%d %f %v2d", 1.5f, 2);
    }
    p[i + 1] = n;
}
kernel void many(uint i [[thread_position_in_grid]], uint l [[thread_position_in_threadgroup]]) {
    for (uint j = 0; j < i % 3; j++) os_log_default.log("%u of %u: %u %u", i, l, j, simd_sum(1u));
}
`

// TestMessages: the log messages of a program, which must be the same on both engines.
func TestMessages(t *testing.T) {
	m, diags := msl.Compile(context.Background(), msl.Source{Text: messages},
		msl.Options{Verify: true, Logging: true, NoWarnings: true})
	require.Empty(t, diags, rendered(t, m, diags))
	again, err := ir.Parse(m.IR.String())
	require.NoError(t, err)
	require.Equal(t, m.IR.String(), again.String())
	launch := func() testlaunch.Launch {
		return testlaunch.Launch{Grid: [3]int{100}, Group: [3]int{40},
			Buffers: map[int]testlaunch.Buffer{0: {Data: append([]byte{0, 0, 0xc0, 0x3f}, make([]byte, 400)...)}}}
	}
	for _, f := range m.IR.Funcs {
		exectest.Run(t, f, launch(), exectest.Quick, exectest.Plain)
	}
	var lines []string
	l := launch()
	l.Log = func(x *message.Message) {
		name := x.Name()
		lines = append(lines, name.Subsystem+" "+name.Category+" "+x.Level().String()+": "+x.Text())
		assert.Zero(t, x.Group)
		assert.Equal(t, [3]int{3}, x.Thread)
		assert.Equal(t, "program_source", x.File())
	}
	require.NoError(t, l.Run(context.Background(), m.IR.Funcs[0], ref.Run))
	assert.Equal(t, []string{
		"  notice: plain",
		"  info: -1 -2 200 ff 0XFF 10 A|   42|42   |00042",
		"  error: 1.500000 5.00e-01 2 1.0,2.0,3.0,4.0 44 -5 5",
		"com.example kernels fault: 1,-2 1,2,255 1 7 100%",
		"com.example others debug: text and     ab|c   |",
		"com.example kernels notice: 1.000000,2.000000",
		"com.example others debug: told 5",
		"com.example kernels notice: counted 0",
		"  notice: no name",
		"  notice: %q 2",
		"  notice: 1 2.000000 0,0",
	}, lines)
	assert.Equal(t, byte(0x3f), l.Buffers[0].Data[4*4+3], "arguments are evaluated once")
}

// TestMessagesOff: a program compiled without logging writes no messages and is otherwise
// unchanged.
func TestMessagesOff(t *testing.T) {
	m, diags := msl.Compile(context.Background(), msl.Source{Text: messages}, msl.Options{Verify: true, NoWarnings: true})
	require.Empty(t, diags, rendered(t, m, diags))
	for _, f := range m.IR.Funcs {
		f.Body.Walk(func(in *ir.Instr) bool {
			assert.NotEqual(t, ir.OpLogMessage, in.Op)
			return true
		})
	}
	l := testlaunch.Launch{Grid: [3]int{4}, Buffers: map[int]testlaunch.Buffer{0: {Data: make([]byte, 32)}}}
	require.NoError(t, l.Run(context.Background(), m.IR.Funcs[0], ref.Run))
	assert.Equal(t, byte(0x3f), l.Buffers[0].Data[4*4+3])
}

// TestMessagesOfGroups: the messages of a threadgroup come in the same order with any number of
// workers.
func TestMessagesOfGroups(t *testing.T) {
	m, diags := msl.Compile(context.Background(), msl.Source{Text: messages}, msl.Options{Logging: true, NoWarnings: true})
	require.Empty(t, diags, rendered(t, m, diags))
	run := func(workers int) [16][]string {
		e := exec.NewEngine(workers)
		defer e.Close()
		var mu sync.Mutex
		var groups [16][]string
		l := &exec.Launch{Grid: [3]int{600}, Group: [3]int{40}, Log: func(x *message.Message) {
			text := x.Text()
			mu.Lock()
			defer mu.Unlock()
			groups[x.Group] = append(groups[x.Group], text)
		}}
		require.NoError(t, e.Run(context.Background(), exec.NewKernel(m.IR.Func("many"), exec.Options{Backend: vm.Backend{}}),
			l))
		return groups
	}
	one := run(1)
	assert.Equal(t, one, run(4))
	all := slices.Concat(one[:]...)
	assert.Len(t, all, 600)
	assert.Equal(t, "1 of 1: 0 21", one[0][0])
}
