package mtl

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/objc"
)

// must returns v; an error ends the test.
func must[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		require.NoError(t, err)
		return v
	}
}

// TestReleased: methods with an error result refuse a released object. None waits, and none returns
// nil after a message that nobody received.
func TestReleased(t *testing.T) {
	d := testDevice(t)
	commandBuffer := func() (CommandBuffer, func()) {
		q := must[CommandQueue](t)(d.NewCommandQueue())
		b := must[CommandBuffer](t)(q.CommandBuffer())
		b.Retain()
		return b, func() { b.Release(); q.Release() }
	}
	objects := map[string]func() (object any, release func()){
		"CommandQueue": func() (any, func()) {
			q := must[CommandQueue](t)(d.NewCommandQueue())
			return q, q.Release
		},
		"CommandBuffer": func() (any, func()) {
			b, release := commandBuffer()
			return b, release
		},
		"CommandBuffer from a handle": func() (any, func()) {
			b, release := commandBuffer()
			return CommandBufferFrom(b.ID()), release
		},
		"ComputeCommandEncoder": func() (any, func()) {
			b, release := commandBuffer()
			e := must[ComputeCommandEncoder](t)(b.ComputeCommandEncoder())
			from := ComputeCommandEncoderFrom(e.ID())
			require.NoError(t, e.EndEncoding())
			return from, release
		},
		"BlitCommandEncoder": func() (any, func()) {
			b, release := commandBuffer()
			e := must[BlitCommandEncoder](t)(b.BlitCommandEncoder())
			from := BlitCommandEncoderFrom(e.ID())
			require.NoError(t, e.EndEncoding())
			return from, release
		},
		"Library": func() (any, func()) {
			l := must[Library](t)(d.NewLibrary("kernel void f(device float *x) { x[0] = 1; }", CompileOptions{}))
			return l, l.Release
		},
		"Buffer": func() (any, func()) {
			b := must[Buffer](t)(d.NewBuffer(64, 0))
			return b, b.Release
		},
		"SharedEvent": func() (any, func()) {
			e := d.NewSharedEvent()
			return e, e.Release
		},
	}
	for name, object := range objects {
		t.Run(name, func(t *testing.T) {
			var faults []error
			defer objc.OnFault(func(f *objc.Fault) { faults = append(faults, f) })()
			var o any
			objc.Pool(func() {
				var release func()
				o, release = object()
				release()
			})
			v := reflect.ValueOf(o)
			released := 0
			for i := range v.NumMethod() {
				m := v.Type().Method(i)
				if n := m.Type.NumOut(); n == 0 || m.Type.Out(n-1) != reflect.TypeFor[error]() {
					continue
				}
				faults = nil
				out := v.Method(i).Call(arguments(m.Type))
				err, _ := out[len(out)-1].Interface().(error)
				if assert.Error(t, err, m.Name) && errors.Is(err, objc.ErrReleased) {
					released++
				}
				assert.Empty(t, faults, m.Name)
			}
			t.Log(released, "methods name the released object")
		})
	}
}

// arguments returns arguments for a method that no check of theirs should refuse, where that is
// simple.
func arguments(method reflect.Type) (args []reflect.Value) {
	for i := 1; i < method.NumIn(); i++ {
		t := method.In(i)
		if method.IsVariadic() && i == method.NumIn()-1 {
			break
		}
		v := reflect.Zero(t)
		switch {
		case t == reflect.TypeFor[context.Context]():
			v = reflect.ValueOf(context.Background())
		case t.Kind() == reflect.Func:
			v = reflect.MakeFunc(t, func([]reflect.Value) (out []reflect.Value) {
				for i := range t.NumOut() {
					out = append(out, reflect.Zero(t.Out(i)))
				}
				return out
			})
		case t.Kind() == reflect.String:
			v = reflect.ValueOf("f").Convert(t)
		case t.Kind() == reflect.Uint || t.Kind() == reflect.Uint64 || t.Kind() == reflect.Int:
			v = reflect.ValueOf(1).Convert(t)
		}
		args = append(args, v)
	}
	return args
}

// TestEncoderNotEnded: an encoder that is freed before its end is a fault that names it, even if
// the command buffer is never committed. Apple's driver ends the process.
func TestEncoderNotEnded(t *testing.T) {
	d := testDevice(t)
	if driver, err := objc.CurrentDriver(); err != nil || driver != objc.DriverSoftware {
		t.Skip("Apple's driver ends the process")
	}
	var faults []error
	defer objc.OnFault(func(f *objc.Fault) { faults = append(faults, f) })()
	q := must[CommandQueue](t)(d.NewCommandQueue())
	defer q.Release()
	objc.Pool(func() {
		b := must[CommandBuffer](t)(q.CommandBuffer())
		b.SetLabel("frame")
		e := must[ComputeCommandEncoder](t)(b.ComputeCommandEncoder())
		e.SetLabel("blur")
	})
	require.Len(t, faults, 1)
	assert.ErrorContains(t, faults[0], `encoder "blur" of command buffer "frame" was released before endEncoding`)
}

// TestUnpooledSite: in debug mode an object received outside of a pool is reported with the line of
// the program that called, not one of the bindings or of the software device.
func TestUnpooledSite(t *testing.T) {
	const child = "MTL_TEST_UNPOOLED"
	if os.Getenv(child) == "" {
		c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestUnpooledSite$", "-test.v")
		c.Env = append(os.Environ(), child+"=1", "PUREMETAL_OBJC_DEBUG=1")
		out, err := c.CombinedOutput()
		require.NoError(t, err, "%s", out)
		assert.Contains(t, string(out), "1 objects, from "+filepath.Join(testFolder(t), "released_test.go:"))
		return
	}
	q := must[CommandQueue](t)(testDevice(t).NewCommandQueue())
	var wg sync.WaitGroup
	wg.Go(func() { _, _ = q.CommandBuffer() }) // a goroutine has no pool of its own
	wg.Wait()
	fmt.Println(objc.Unpooled())
	os.Exit(0) // without the check for leaks: this is one
}

func testFolder(t *testing.T) string {
	_, file, _, ok := runtime.Caller(0)
	require.True(t, ok)
	return filepath.Dir(file)
}
