package compute

import (
	"context"
	"image"
	"testing"

	"github.com/puremetal/puremetal/internal/test/contexttest"
	"github.com/puremetal/puremetal/mtl"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEndedContexts: every exported function that takes a context refuses one that has ended,
// whether or not there is anything to wait for.
func TestEndedContexts(t *testing.T) {
	a := accelerator(t)
	p, err := a.Compile(t.Context(), saxpy, CompileOptions{})
	require.NoError(t, err)
	defer p.Close()
	k, err := p.Kernel("saxpy")
	require.NoError(t, err)
	s, e := newStream(t, a), newEvent(t, a)
	x, y := bufferOf[float32](t, a, 1), bufferOf[float32](t, a, 0)
	l, err := k.Bind(Threads1D(1), x, y, float32(1))
	require.NoError(t, err)
	one := []float32{1}
	texture := newTexture[float32](t, a, Texture2D(1, 1), TextureOptions{})
	picture := image.NewGray(image.Rect(0, 0, 1, 1))
	ctx := contexttest.Ended(t)

	calls := map[string]func() error{
		"Accelerator.CompareSchedules": func() error {
			_, err := a.CompareSchedules(ctx, ScheduleOptions{}, func(context.Context, int) (map[string][]byte, error) {
				t.Error("called")
				return nil, nil
			})
			return err
		},
		"Accelerator.Watch": func() error {
			return a.Watch(ctx, "k.metal", CompileOptions{}, func(*Program, error) {})
		},
		"Accelerator.Compile": func() error { _, err := a.Compile(ctx, saxpy, CompileOptions{}); return err },
		"SharedProgram.Kernel": func() error {
			_, err := (&SharedProgram{Source: saxpy}).Kernel(ctx, a, "saxpy")
			return err
		},
		"Accelerator.Defragment":     func() error { _, err := a.Defragment(ctx, 0); return err },
		"Accelerator.NewStreamGroup": func() error { _, err := a.NewStreamGroup(ctx, 1); return err },
		"Accelerator.Sync":           func() error { return a.Sync(ctx) },
		"Buffer.Download":            func() error { return x.Download(ctx, one) },
		"Buffer.Wait":                func() error { return x.Wait(ctx) },
		"Buffer.Upload":              func() error { return x.Upload(ctx, one) },
		"FromBody":                   func() error { _, err := FromBody(ctx, a, Body{}, CompileOptions{}); return err },
		"BufferOf":                   func() error { _, err := BufferOf(ctx, a, one); return err },
		"Copy":                       func() error { return Copy(ctx, s, y, x) },
		"CopyFromTexture":            func() error { return CopyFromTexture(ctx, s, x, texture) },
		"CopyTexture":                func() error { return CopyTexture(ctx, s, texture, texture) },
		"CopyToTexture":              func() error { return CopyToTexture(ctx, s, texture, x) },
		"DownloadTextureAsync":       func() error { return DownloadTextureAsync(ctx, s, one, texture, Region{}, nil) },
		"GenerateMipmaps":            func() error { return GenerateMipmaps(ctx, s, texture) },
		"Texture.Download":           func() error { return texture.Download(ctx, one) },
		"Texture.DownloadImage":      func() error { return texture.DownloadImage(ctx, picture) },
		"Texture.DownloadRegion":     func() error { return texture.DownloadRegion(ctx, Region{}, one) },
		"Texture.Upload":             func() error { return texture.Upload(ctx, one) },
		"Texture.UploadImage":        func() error { return texture.UploadImage(ctx, picture) },
		"Texture.UploadRegion":       func() error { return texture.UploadRegion(ctx, Region{}, one) },
		"TextureOf": func() error {
			_, err := TextureOf[uint8](ctx, a, picture,
				TextureOptions{})
			return err
		},
		"UploadTextureAsync":    func() error { return UploadTextureAsync(ctx, s, texture, Region{}, one, nil) },
		"DownloadAsync":         func() error { return DownloadAsync(ctx, s, one, x, nil) },
		"UploadAsync":           func() error { return UploadAsync(ctx, s, x, one, nil) },
		"Elapsed":               func() error { _, _, err := Elapsed(ctx, e, e); return err },
		"Event.Wait":            func() error { return e.Wait(ctx) },
		"Fill":                  func() error { return Fill(ctx, s, y, 0) },
		"NewZeroed":             func() error { _, err := NewZeroed[int8](ctx, a, 1, BufferOptions{}); return err },
		"Program.KernelContext": func() error { _, err := p.KernelContext(ctx, "saxpy"); return err },
		"Stream.Callback":       func() error { return s.Callback(ctx, func(error) { t.Error("called") }) },
		"Stream.Encode": func() error {
			return s.Encode(ctx, func(mtl.CommandBuffer) error { t.Error("called"); return nil })
		},
		"Stream.LaunchCooperative": func() error { return s.LaunchCooperative(ctx, k, Threads1D(1), x, y, float32(1)) },
		"Stream.RunCooperative":    func() error { return s.RunCooperative(ctx, l) },
		"Stream.LaunchFallback":    func() error { return s.LaunchFallback(ctx, k, Threads1D(1), x, y, float32(1)) },
		"Stream.Launch":            func() error { return s.Launch(ctx, k, Threads1D(1), x, y, float32(1)) },
		"Stream.LaunchParts": func() error {
			_, err := s.LaunchParts(ctx, k, Threads1D(1), PartOptions{}, x, y, float32(1))
			return err
		},
		"Stream.Measure": func() error {
			_, err := s.Measure(ctx, 1, func(context.Context, *Stream) error { return nil })
			return err
		},
		"Stream.Record":  func() error { return s.Record(ctx, e) },
		"Stream.Run":     func() error { return s.Run(ctx, l) },
		"Stream.Sync":    func() error { return s.Sync(ctx) },
		"Stream.WaitFor": func() error { return s.WaitFor(ctx, e) },
	}
	// What has nothing left to do is closed whatever the context: see docs/RATIONALE.md.
	// Operations only name what a context is for.
	contexttest.Check(t, calls, ErrCanceled, "Accelerator.Close", "Stream.Close", "Accelerator.Operation", "OperationOf")
	assert.Zero(t, s.Stats().Commands)
}

// requireCanceled expects the error of a call that a canceled context ended.
func requireCanceled(t testing.TB, err error) {
	t.Helper()
	require.ErrorIs(t, err, ErrCanceled)
	require.ErrorIs(t, err, context.Canceled)
}
