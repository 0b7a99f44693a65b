package softmetal_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/softmetal/extension"
	"github.com/puremetal/puremetal/internal/softmetal/extension/client"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/require"
)

// forged makes an archive with the code of a source's kernel as another source's, changed, and has
// the device read it, as one that this process vouches for or not.
func forged(t *testing.T, d mtl.Device, source, other, kernel string, trusted bool, change func(*ir.Func)) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "archive")
	l, err := d.NewLibrary(source, mtl.CompileOptions{})
	require.NoError(t, err)
	defer l.Release()
	f, err := l.NewFunction(kernel)
	require.NoError(t, err)
	defer f.Release()
	p, err := mtl.NewComputePipelineDescriptor()
	require.NoError(t, err)
	defer p.Release()
	p.SetComputeFunction(f)
	desc, err := mtl.NewBinaryArchiveDescriptor()
	require.NoError(t, err)
	defer desc.Release()
	a, err := d.NewBinaryArchive(desc)
	require.NoError(t, err)
	defer a.Release()
	require.NoError(t, a.AddComputePipelineFunctions(p))
	require.NoError(t, a.SerializeToFile(path))

	data, err := os.ReadFile(path)
	require.NoError(t, err)
	parts := bytes.SplitN(data, []byte("\n"), 4) // magic, hash, header, code
	m, err := ir.Decode(parts[3])
	require.NoError(t, err)
	change(m.Funcs[0])
	parts[3], err = m.Encode()
	require.NoError(t, err)
	var header map[string]any
	require.NoError(t, json.Unmarshal(parts[2], &header))
	header["entries"] = nil
	library := header["libraries"].([]any)[0].(map[string]any)
	library["source"] = other
	library["code"].([]any)[0].(map[string]any)["size"] = len(parts[3])
	parts[2], err = json.Marshal(header)
	require.NoError(t, err)
	sum := sha256.Sum256(bytes.Join(parts[2:], []byte("\n")))
	parts[1] = []byte(hex.EncodeToString(sum[:]))
	data = bytes.Join(parts, []byte("\n"))
	require.NoError(t, os.WriteFile(path, data, 0o600))
	if trusted {
		sum := sha256.Sum256(data)
		client.SendText(&extension.TrustArchive, d.ID(), hex.EncodeToString(sum[:]))
		defer client.SendText(&extension.DistrustArchive, d.ID(), hex.EncodeToString(sum[:]))
	}

	desc.SetUrl(path)
	b, err := d.NewBinaryArchive(desc)
	require.NoError(t, err)
	b.Release()
}

// TestArchiveSubstitutes: an archive that a program opens by its path does not decide what another
// source, compiled later, does. Unless it is trusted, the source that it names is compiled.
func TestArchiveSubstitutes(t *testing.T) {
	const evil = "kernel void k(device uint* x [[buffer(0)]]) { x[0] = 666; }"
	d, _, _ := rig(t)
	for trusted, want := range map[bool]uint32{false: 1, true: 666} {
		victim := fmt.Sprintf("kernel void k(device uint* x [[buffer(0)]]) { x[0] = 1; } // %v", trusted)
		forged(t, d, evil, victim, "k", trusted, func(*ir.Func) {})
		l, err := d.NewLibrary(victim, mtl.CompileOptions{})
		require.NoError(t, err)
		defer l.Release()
		buffer, err := d.NewBuffer(4, 0)
		require.NoError(t, err)
		defer buffer.Release()
		launch(t, d, l, "k", buffer)
		data, err := buffer.Bytes()
		require.NoError(t, err)
		require.Equal(t, want, binary.LittleEndian.Uint32(data), "trusted for: %v", trusted)
	}
}

// launch runs a kernel with one buffer, as one thread.
func launch(t *testing.T, d mtl.Device, l mtl.Library, kernel string, buffer mtl.Buffer) {
	t.Helper()
	f, err := l.NewFunction(kernel)
	require.NoError(t, err)
	defer f.Release()
	p, err := d.NewComputePipelineState(f)
	require.NoError(t, err)
	defer p.Release()
	queue, err := d.NewCommandQueue()
	require.NoError(t, err)
	defer queue.Release()
	objc.Pool(func() {
		b, err := queue.CommandBuffer()
		require.NoError(t, err)
		e, err := b.ComputeCommandEncoder()
		require.NoError(t, err)
		require.NoError(t, e.SetComputePipelineState(p))
		require.NoError(t, e.SetBuffer(buffer, 0, 0))
		one := mtl.Size{Width: 1, Height: 1, Depth: 1}
		require.NoError(t, e.DispatchThreads(one, one))
		require.NoError(t, e.EndEncoding())
		require.NoError(t, b.Commit())
		require.NoError(t, b.Wait(t.Context()))
	})
}

// TestForgedArguments: an archive may say of a kernel's arguments what no compiler says. That is an
// error where they are used, not a panic.
func TestForgedArguments(t *testing.T) {
	const source = "#include <metal_stdlib>\nusing namespace metal; struct A { device uint* p; texture2d<float> t; }; kernel void k(device A& a [[buffer(0)]]) { a.p[0] = 1; }"
	d, _, faults := rig(t)
	buffer, err := d.NewBuffer(64, 0)
	require.NoError(t, err)
	defer buffer.Release()
	queue, err := d.NewCommandQueue()
	require.NoError(t, err)
	defer queue.Release()
	use := func(t *testing.T, name string, change func(*ir.Func)) mtl.Function {
		forged(t, d, source, source+"//"+name, "k", true, change)
		l, err := d.NewLibrary(source+"//"+name, mtl.CompileOptions{})
		require.NoError(t, err)
		defer l.Release()
		f, err := l.NewFunction("k")
		require.NoError(t, err)
		t.Cleanup(f.Release)
		return f
	}

	f := use(t, "index", func(f *ir.Func) { f.Args[0].Index = 40 })
	p, err := d.NewComputePipelineState(f)
	require.NoError(t, err)
	defer p.Release()
	objc.Pool(func() {
		b, err := queue.CommandBuffer()
		require.NoError(t, err)
		e, err := b.ComputeCommandEncoder()
		require.NoError(t, err)
		require.NoError(t, e.SetComputePipelineState(p))
		_ = e.DispatchThreads(mtl.Size{Width: 1, Height: 1, Depth: 1}, mtl.Size{Width: 1, Height: 1, Depth: 1})
		require.NoError(t, e.EndEncoding())
		_ = b.Commit()
		require.ErrorContains(t, b.Wait(t.Context()), "nothing is bound at buffer index 40")
	})

	for name, change := range map[string]func(*ir.Member){
		"offset":  func(m *ir.Member) { m.Offset = -64 },
		"far":     func(m *ir.Member) { m.Offset = 1 << 40 },
		"small":   func(m *ir.Member) { m.Size = 4 },
		"minus":   func(m *ir.Member) { m.Size = -1 },
		"endless": func(m *ir.Member) { m.Size = 1 << 62 },
	} {
		f := use(t, name, func(f *ir.Func) { change(&f.Args[0].Struct.Members[0]) })
		e, err := f.NewArgumentEncoder(0)
		require.NoError(t, err)
		require.NoError(t, e.SetArgumentBuffer(buffer, 0))
		_ = e.SetBuffer(buffer, 0, 0)
		e.Release()
		err = errors.Join(faults.take()...)
		require.ErrorContains(t, err, "argument at index 0", name)
	}
}
