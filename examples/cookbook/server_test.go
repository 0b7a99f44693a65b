package cookbook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/puremetal/puremetal/compute"
)

// serveSquares answers POST requests with the squares of the numbers in their bodies. Any number of
// requests run concurrently. If a client goes away, the work of its request is canceled.
func serveSquares(acc *compute.Accelerator, square *compute.Kernel) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var numbers []float32
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&numbers); err != nil || len(numbers) == 0 {
			http.Error(w, "want an array of numbers", http.StatusBadRequest)
			return
		}
		err := squares(r.Context(), acc, square, numbers)
		switch {
		case errors.Is(err, compute.ErrCanceled): // nobody is left to answer
		case errors.Is(err, compute.ErrOutOfMemory):
			http.Error(w, "try again later", http.StatusServiceUnavailable)
		case err != nil:
			http.Error(w, err.Error(), http.StatusInternalServerError)
		default:
			_ = json.NewEncoder(w).Encode(numbers)
		}
	}
}

// squares replaces numbers with their squares.
func squares(ctx context.Context, acc *compute.Accelerator, square *compute.Kernel, numbers []float32) (err error) {
	stream, err := acc.NewStream(compute.StreamOptions{Label: "squares", Context: ctx})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stream.Close(context.WithoutCancel(ctx))) }()
	x, err := compute.BufferOf(ctx, acc, numbers)
	if err != nil {
		return err
	}
	defer x.Close()
	if err := stream.Launch(ctx, square, compute.Threads1D(len(numbers)), x); err != nil {
		return err
	}
	if err := stream.Sync(ctx); err != nil {
		return err
	}
	return x.Download(ctx, numbers)
}

func Example_server() {
	ctx := context.Background()
	acc := must(compute.Open(compute.WithMemoryLimit(256 << 20))) // more is refused, and the client tries again
	program := must(acc.Compile(ctx, `
kernel void square(device float *x, uint i [[thread_position_in_grid]]) { x[i] *= x[i]; }`, compute.CompileOptions{}))
	server := httptest.NewServer(serveSquares(acc, must(program.Kernel("square"))))

	response := must(http.Post(server.URL, "application/json", strings.NewReader("[1, 2, 3]")))
	var got []float32
	must(0, json.NewDecoder(response.Body).Decode(&got))
	must(0, response.Body.Close())
	fmt.Println(got)

	server.Close() // first the requests, as Shutdown of an http.Server does, then what they used
	program.Close()
	ending, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	must(0, acc.Close(ending)) // cancels what is left when the time is up

	// Output: [1 4 9]
}
