package cookbook

import (
	"context"
	"log/slog"

	"github.com/puremetal/puremetal/compute"
)

// must is a placeholder for your program's error handling.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// start opens the device. The function that it returns closes the device and reports what was left
// open.
func start() (context.Context, *compute.Accelerator, func()) {
	ctx := context.Background()
	acc := must(compute.Open(compute.WithLogger(slog.New(slog.DiscardHandler))))
	return ctx, acc, func() { must(0, acc.Close(ctx)) }
}
