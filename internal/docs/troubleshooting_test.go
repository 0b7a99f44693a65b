package docs

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/ops"
	"github.com/puremetal/puremetal/simd"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// trouble makes the errors that docs/troubleshooting.md quotes.
type trouble struct {
	t      *testing.T
	acc    *compute.Accelerator
	stream *compute.Stream
}

const blend = `
struct Pixel { float4 color; float depth; };
kernel void blend(device const Pixel *in, device float4 *out, constant float &part, uint i [[thread_position_in_grid]]) {
    out[i] = part * in[i].color;
}`

// compile compiles source and returns a kernel, and the error of the one or the other.
func (r *trouble) compile(source, kernel string) (*compute.Kernel, error) {
	p, err := r.acc.Compile(r.t.Context(), source, compute.CompileOptions{Name: "blend.metal"})
	if err != nil {
		return nil, err
	}
	r.t.Cleanup(p.Close)
	return p.Kernel(kernel)
}

func (r *trouble) kernel(source, kernel string) *compute.Kernel {
	k, err := r.compile(source, kernel)
	require.NoError(r.t, err)
	return k
}

func buffer[T any](r *trouble, n int, o compute.BufferOptions) *compute.Buffer[T] {
	b, err := compute.NewBuffer[T](r.acc, n, o)
	require.NoError(r.t, err)
	r.t.Cleanup(b.Close)
	return b
}

type pixel struct {
	Color simd.Float4
	Depth float32
	_     [3]float32
}

// makes returns an error of a name in the page.
func (r *trouble) makes(name string) error {
	ctx := r.t.Context()
	pixels, out := buffer[pixel](r, 4, compute.BufferOptions{}), buffer[simd.Float4](r, 4, compute.BufferOptions{})
	launch := func(grid compute.Grid, args ...any) error {
		return r.stream.Launch(ctx, r.kernel(blend, "blend"), grid, args...)
	}
	switch name {
	case "source":
		_, err := r.compile(strings.Replace(blend, "part * in", "parts * in", 1), "blend")
		return err
	case "no kernel":
		_, err := r.compile(blend, "Blend")
		return err
	case "missing":
		return launch(compute.Threads1D(4), pixels, out)
	case "double":
		return launch(compute.Threads1D(4), pixels, out, 0.5)
	case "layout":
		type wrong struct {
			Depth float32
			Color simd.Float4
		}
		return launch(compute.Threads1D(4), buffer[wrong](r, 4, compute.BufferOptions{}), out, float32(0.5))
	case "texels":
		k := r.kernel(`#include <metal_stdlib>
using namespace metal;
kernel void count(texture2d<uint> labels, device uint *out) { out[0] = labels.read(uint2(0)).x; }`, "count")
		labels, err := compute.NewTexture[uint8](r.acc, compute.Texture2D(4, 4), compute.TextureOptions{Label: "labels"})
		require.NoError(r.t, err)
		r.t.Cleanup(labels.Close)
		return r.stream.Launch(ctx, k, compute.Threads1D(1), labels, buffer[uint32](r, 1, compute.BufferOptions{}))
	case "in place":
		k := r.kernel(`#include <metal_stdlib>
using namespace metal;
kernel void invert(texture2d<float> in, texture2d<float, access::write> out, uint2 at [[thread_position_in_grid]]) {
	out.write(1 - in.read(at), at);
}`, "invert")
		picture, err := compute.NewTexture[uint8](r.acc, compute.Texture2D(4, 4), compute.TextureOptions{})
		require.NoError(r.t, err)
		r.t.Cleanup(picture.Close)
		return r.stream.Launch(ctx, k, compute.Threads2D(4, 4), picture, picture)
	case "group":
		return launch(compute.Threads2D(64, 64).In(compute.Extent{X: 64, Y: 64}), pixels, out, float32(0.5))
	case "storage":
		_, err := buffer[float32](r, 4, compute.BufferOptions{Intent: compute.DeviceOnly, Label: "weights"}).Data()
		return err
	case "range":
		return out.Upload(ctx, make([]simd.Float4, 5))
	case "shape":
		o := ops.New(r.acc)
		defer o.Close()
		a, err := ops.Of(buffer[float32](r, 6, compute.BufferOptions{}), 2, 3)
		require.NoError(r.t, err)
		return ops.MatMul(ctx, o, r.stream, a, a, a)
	case "closed":
		b := buffer[float32](r, 4, compute.BufferOptions{Label: "weights"})
		b.Close()
		_, err := b.Data()
		return err
	case "hardware":
		_, err := compute.Open(compute.RequireHardware())
		return err
	case "leak":
		acc, err := compute.Open(compute.WithLogger(slog.New(slog.DiscardHandler)))
		require.NoError(r.t, err)
		_, err = compute.NewBuffer[float32](acc, 4, compute.BufferOptions{Label: "weights"})
		require.NoError(r.t, err)
		return acc.Close(ctx)
	case "spins":
		return r.elsewhere("PUREMETAL_SOFTWARE_FUEL=100000")
	case "no device":
		return r.elsewhere("PUREMETAL_SOFTWARE_DEVICES=0")
	case "driver":
		return r.elsewhere("PUREMETAL_DRIVER=cuda")
	}
	r.t.Fatalf("the page quotes an error %q that the test does not make", name)
	return nil
}

// elsewhere opens a device, and runs a kernel that spins, in a process with a variable of its
// environment set, and returns the error.
func (r *trouble) elsewhere(variable string) error {
	child := exec.Command(os.Args[0], "-test.run=^TestElsewhere$")
	child.Env = append(os.Environ(), variable, elsewhere+"=1")
	out, err := child.CombinedOutput()
	require.NoError(r.t, err, "%s", out)
	text := regexp.MustCompile(`(?s)<<(.*)>>`).FindSubmatch(out)
	require.NotNil(r.t, text, "%s", out)
	return errors.New(string(text[1]))
}

const elsewhere = "PUREMETAL_DOCS_ELSEWHERE"

func TestElsewhere(t *testing.T) {
	if os.Getenv(elsewhere) == "" {
		t.Skip("it is the other process of TestTroubleshooting")
	}
	err := func() error {
		acc, err := compute.Open(compute.WithLogger(slog.New(slog.DiscardHandler)))
		if err != nil {
			return err
		}
		defer acc.Close(context.Background())
		s, err := acc.NewStream(compute.StreamOptions{Label: "main"})
		require.NoError(t, err)
		r := &trouble{t, acc, s}
		k := r.kernel("kernel void spin(device uint *x) { while (x[0] == 0) {} }", "spin")
		x, err := compute.BufferOf(t.Context(), acc, []uint32{0})
		require.NoError(t, err)
		defer x.Close()
		require.NoError(t, s.Launch(t.Context(), k, compute.Threads1D(1), x))
		return s.Close(t.Context())
	}()
	require.Error(t, err)
	print("<<" + err.Error() + ">>")
}

// TestTroubleshooting: the errors quoted on the page are the real ones, to the letter except for
// source lines and identifiers.
func TestTroubleshooting(t *testing.T) {
	acc, err := compute.Open(compute.WithLogger(slog.New(slog.DiscardHandler)))
	require.NoError(t, err)
	defer func() { assert.NoError(t, acc.Close(context.Background())) }()
	if !acc.Info().Software {
		t.Skip("Apple's driver has words of its own")
	}
	stream, err := acc.NewStream(compute.StreamOptions{Label: "main"})
	require.NoError(t, err)
	defer func() { assert.NoError(t, stream.Close(context.Background())) }()
	n := same(t, "docs/troubleshooting.md", "error", func(name string) string {
		var text string
		t.Run(name, func(t *testing.T) {
			err := (&trouble{t, acc, stream}).makes(name)
			require.Error(t, err)
			text = regexp.MustCompile(`\(?(?:[\w./\\:-]*[/\\])?(\w+\.go):\d+\)?`).ReplaceAllString(err.Error(),
				"main.go:17") + "\n"
		})
		return text
	})
	assert.GreaterOrEqual(t, n, 15)
}
