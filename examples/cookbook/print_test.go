package cookbook

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/simd"
)

func Example_print() {
	ctx := context.Background()
	acc := must(compute.Open(compute.WithLogger(slog.New(slog.DiscardHandler)),
		compute.WithKernelLog(compute.KernelLog{Handler: func(m compute.KernelMessage) {
			fmt.Println(m.Program, m.Kernel, m.Level, m.Text)
		}})))
	defer acc.Close(ctx)
	program := must(acc.Compile(ctx, `
#include <metal_stdlib>
#include <metal_logging>
using namespace metal;
kernel void roots(device float2 *x, uint i [[thread_position_in_grid]]) {
    if (any(x[i] < 0)) os_log_default.log_error("x[%u] is %.1v2f", i, x[i]);
    x[i] = sqrt(x[i]);
}`, compute.CompileOptions{Name: "roots.metal", Logging: true}))
	defer program.Close()
	x := must(compute.BufferOf(ctx, acc, []simd.Float2{{X: 4, Y: 1}, {X: 9, Y: -2}}))
	defer x.Close()

	stream := must(acc.NextStream())
	must(0, stream.Launch(ctx, must(program.Kernel("roots")), compute.Threads1D(x.Len()), x))
	must(0, stream.Sync(ctx))

	// Output: roots.metal roots LogLevelError x[1] is 9.0,-2.0
}
