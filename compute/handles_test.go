package compute

import (
	"bytes"
	"context"
	"image"
	"log/slog"
	"testing"

	"github.com/puremetal/puremetal/compute/observe"
	"github.com/puremetal/puremetal/internal/test/handletest"
	"github.com/puremetal/puremetal/mtl"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestHandles gives every exported function and method nil and zero handles. Errors themselves
// are left out: a nil one is what an error's method is never called on.
func TestHandles(t *testing.T) {
	a := accelerator(t)
	ctx := t.Context()
	p, err := a.Compile(ctx, `
kernel void child(device uint *x [[buffer(0)]], uint i [[thread_position_in_grid]]) { x[i] += 1; }`,
		CompileOptions{})
	require.NoError(t, err)
	t.Cleanup(p.Close)
	k, err := p.Kernel("child")
	require.NoError(t, err)
	s := newStream(t, a)
	e, err := a.NewEvent(EventOptions{Timing: true})
	require.NoError(t, err)
	t.Cleanup(e.Close)
	x := bufferOf[uint32](t, a, 7)
	floats := bufferOf[float32](t, a, 7)
	l, err := k.Bind(Threads1D(1), x)
	require.NoError(t, err)
	group, err := a.NewStreamGroup(ctx, 1)
	require.NoError(t, err)
	sampler, err := a.Sampler(SamplerOptions{})
	require.NoError(t, err)
	texture := newTexture[float32](t, a, Texture2D(1, 1), TextureOptions{})
	picture := image.NewRGBA(image.Rect(0, 0, 1, 1))

	handletest.Check(t, handletest.Package{
		Handles: []any{a, x, floats, e, group, k, l, p, sampler, s, texture, &SharedProgram{Source: saxpy}},
		Values: []any{Grid(Threads1D(1)), "child", 1, uint(0), uint64(1), []float32{7}, []uint32{7}, picture,
			Texture2D(1, 1), TextureOptions{}, mtl.PixelFormatR32Float, any(uint32(1)), &observe.Observer{}, &bytes.Buffer{},
			slog.New(slog.DiscardHandler)},
		Functions: map[string]any{
			"Adopt": Adopt[float32], "BufferOf": BufferOf[float32], "Copy": Copy[float32],
			"CopyFromTexture": CopyFromTexture[float32], "CopyTexture": CopyTexture[float32],
			"CopyToTexture": CopyToTexture[float32], "DownloadAsync": DownloadAsync[float32],
			"DownloadTextureAsync": DownloadTextureAsync[float32], "Elapsed": Elapsed, "Fill": Fill[float32],
			"FromBody": FromBody, "GenerateMipmaps": GenerateMipmaps,
			"LinearTexture": LinearTexture[float32], "NewBuffer": NewBuffer[float32],
			"NewTexture": NewTexture[float32], "NewZeroed": NewZeroed[float32],
			"TextureOf": TextureOf[uint8], "TextureRow": TextureRow[float32], "UploadAsync": UploadAsync[float32],
			"UploadTextureAsync": UploadTextureAsync[float32], "ViewTexture": ViewTexture[float32, float32],
			"At": At, "Named": Named, "Overwrites": Overwrites,
			"Reads": Reads, "Writes": Writes, "Samplers": Samplers,
			"Textures": Textures, "ClassOf": ClassOf, "OperationOf": func(ctx context.Context) { OperationOf(ctx) },
			"Open": openAndClose,
		},
		Without: []string{"Class", "CompileError", "ExecutionError", "Extent", "Info", "Intent", "LaunchError",
			"LayoutError", "LeakError", "Measurement", "PanicError", "Parameter", "ParameterKind",
			"TextureFormatError", "TextureShape", "Threads", // types
			"Devices", "OpenAll", "Texture1D", "Texture2D", "Texture3D", "TextureBuffer", "TextureCube",
			"Threads1D", "Threads2D", "Threads3D", // functions
			"RequireHardware", "WithBatching", "WithCompilations", "WithDeviceIndex", "WithDeviceName", "WithDiskCache",
			"WithGridPhases", "WithHistory", "WithIdleTime", "WithIsolation", "WithKernelCache", "WithLeakCheck",
			"WithMemoryLimit", "WithStreams", "WithTimeout", "WithValidation", "WithWorkBudget",
			"WithoutSoftwareOptions", // options
			"WithDevice", "WithFallback", "WithKernelLog", "WithLogger", "WithObserver", "WithPool",
			"WithSanitizer", // see TestOptions
		},
		Optional: []string{"UploadAsync 4", "DownloadAsync 4", "UploadTextureAsync 5", "DownloadTextureAsync 5"},
		Ends: []string{"Accelerator.Close", "Accelerator.Watch", "Buffer.Close", "Event.Close",
			"Group.Wait",
			"Program.Close", "Stream.Close", "Texture.Close"},
		Err: ErrNil,
	})
	// The stream of the calls is as good as before.
	require.NoError(t, s.Sync(ctx))
	require.ErrorIs(t, group.Wait(), ErrNil) // of a function
	var value [1]float32
	require.NoError(t, Fill(ctx, s, floats, 0))
	require.NoError(t, floats.Download(ctx, value[:]))
	assert.Zero(t, value)
	require.ErrorIs(t, a.Watch(ctx, "k.metal", CompileOptions{}, nil), ErrNil)
}

// openAndClose opens with an option, and closes what that gave.
func openAndClose(o ...Option) error {
	a, err := Open(o...)
	if err != nil {
		return err
	}
	return a.Close(context.Background())
}
