package compute

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"github.com/puremetal/puremetal/mtl"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWatch: each change of the file or an include is compiled, what does not compile leaves the
// last good program open, and buffers keep their contents.
func TestWatch(t *testing.T) {
	a := accelerator(t)
	s, x := newStream(t, a), bufferOf(t, a, float32(0))
	const using = "#include \"lib.h\"\nkernel void k(device float *x [[buffer(0)]]) { x[0] += VALUE; }\n"
	dir := fstest.MapFS{"k.metal": {Data: []byte(using)}, "lib.h": {Data: []byte("#define VALUE 1\n")}}
	ctx, cancel := context.WithCancel(t.Context())
	ticks := make(chan time.Time, 1)
	var before, good *Program
	run := func(p *Program) float32 {
		require.NoError(t, s.Launch(t.Context(), kernel(t, p, "k"), Threads1D(1), x))
		got := make([]float32, 1)
		require.NoError(t, x.Download(t.Context(), got))
		return got[0]
	}
	change := func(name, text string) {
		dir[name] = &fstest.MapFile{Data: []byte(text)}
		ticks <- time.Time{}
	}
	steps := []func(p *Program, err error){
		func(p *Program, err error) {
			require.NoError(t, err)
			assert.EqualValues(t, 1, run(p))
			good = p
			change("lib.h", "#define VALUE 10\n")
		},
		func(p *Program, err error) {
			require.NoError(t, err)
			assert.EqualValues(t, 11, run(p))
			assert.EqualValues(t, 12, run(good), "the program before is open until the callback returns")
			before, good = good, p
			change("k.metal", "kernel void k(device float *x [[buffer(0)]]) { x[0] = wrong; }\n")
		},
		func(p *Program, err error) {
			assert.Nil(t, p)
			assert.Nil(t, before.KernelNames(), "closed")
			require.ErrorIs(t, err, ErrCompile)
			require.ErrorContains(t, err, "k.metal:1")
			assert.EqualValues(t, 22, run(good), "the last good program")
			change("lib.h", "#define VALUE 1000\n") // which the broken file did not include
		},
		func(_ *Program, err error) {
			require.ErrorIs(t, err, ErrCompile)
			change("k.metal", using)
		},
		func(p *Program, err error) {
			require.NoError(t, err)
			assert.EqualValues(t, 1022, run(p))
			good = p
			cancel()
		},
	}
	n := 0
	err := a.watch(ctx, "k.metal", CompileOptions{Includes: dir}, func(p *Program, err error) {
		n++
		steps[n-1](p, err)
	}, ticks)
	requireCanceled(t, err)
	assert.Equal(t, len(steps), n)
	assert.Nil(t, good.KernelNames(), "closed by Watch")
}

// TestWatchFile: the directory of a file is the root of its includes; a missing file is an error
// that a change can help, an invalid option is not.
func TestWatchFile(t *testing.T) {
	a := accelerator(t)
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	write("lib.h", "#define NAME k\n")
	ctx, cancel := context.WithCancel(t.Context())
	ticks := make(chan time.Time, 1)
	var names []string
	file := filepath.Join(dir, "k.metal")
	err := a.watch(ctx, file, CompileOptions{}, func(p *Program, err error) {
		if p == nil {
			require.ErrorIs(t, err, fs.ErrNotExist)
			write("k.metal", "#include \"lib.h\"\nkernel void NAME() {}\n")
			ticks <- time.Time{}
			return
		}
		names = p.KernelNames()
		cancel()
	}, ticks)
	requireCanceled(t, err)
	assert.Equal(t, []string{"k"}, names)

	err = a.Watch(t.Context(), file, CompileOptions{Logging: true, Language: mtl.LanguageVersion3_1},
		func(*Program, error) { assert.Fail(t, "called") })
	require.ErrorIs(t, err, ErrOption)
	require.ErrorIs(t, a.Watch(t.Context(), file, CompileOptions{}, nil), ErrNil)
}
