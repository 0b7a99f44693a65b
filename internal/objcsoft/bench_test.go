package objcsoft

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// benchClass has methods of the shapes that a hot path has.
func benchClass(tb testing.TB, rt *Runtime) ID {
	c, err := rt.Register(ClassSpec{Name: "Bench", Methods: []MethodSpec{
		{"nothing", "v@:", func(*Call) {}},
		{"set:offset:index:", "v@:@QQ", func(c *Call) {
			if c.Uint(2) > 30 {
				c.Raise(rangeException, "index %d", c.Uint(2))
			}
		}},
		{"dispatch:threads:", "v@:{?=QQQ}{?=QQQ}", func(c *Call) {
			if c.Words(0)[0] == 0 || c.Words(1)[2] == 0 {
				c.Raise(rangeException, "empty")
			}
		}},
		{"size", "{?=QQQ}@:", func(c *Call) { c.ReturnWords(1, 2, 3) }},
		{"length", "Q@:", func(c *Call) { c.ReturnUint(7) }},
	}})
	require.NoError(tb, err)
	return rt.NewObject(c, nil)
}

func benchEnc(tb testing.TB, rt *Runtime, enc string) Enc {
	e, err := rt.Encoding(enc)
	require.NoError(tb, err)
	return e
}

func BenchmarkSend(b *testing.B) {
	rt := New()
	id := benchClass(b, rt)
	six := []uintptr{1, 2, 3, 4, 5, 6}
	for _, bench := range []struct {
		name, sel, enc string
		args           int
		ret            int
	}{
		{"0 words", "nothing", "v@:", 0, 0},
		{"3 words", "set:offset:index:", "v@:@QQ", 3, 0},
		{"6 words", "dispatch:threads:", "v@:{?=QQQ}{?=QQQ}", 6, 0},
		{"returns word", "length", "Q@:", 0, 1},
		{"returns struct", "size", "{?=QQQ}@:", 0, 3},
	} {
		sel, enc := rt.Sel(bench.sel), benchEnc(b, rt, bench.enc)
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			ret := make([]uintptr, bench.ret)
			args := six[:bench.args]
			for b.Loop() {
				if err := rt.Send(id, sel, enc, args, ret); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("3 words parallel", func(b *testing.B) {
		b.ReportAllocs()
		sel, enc := rt.Sel("set:offset:index:"), benchEnc(b, rt, "v@:@QQ")
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if err := rt.Send(id, sel, enc, six[:3], nil); err != nil {
					b.Error(err)
				}
			}
		})
	})
}

func BenchmarkObjects(b *testing.B) {
	rt := New()
	class := rt.Class("NSObject")
	id := rt.NewObject(class, nil)
	b.Run("new and release", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := rt.Release(rt.NewObject(class, nil)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("retain and release", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := rt.Retain(id); err != nil {
				b.Fatal(err)
			}
			if err := rt.Release(id); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("empty pool", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := rt.PopPool(rt.PushPool()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("pool with one object", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			token := rt.PushPool()
			if err := rt.Autorelease(rt.NewObject(class, nil)); err != nil {
				b.Fatal(err)
			}
			if err := rt.PopPool(token); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("block", func(b *testing.B) {
		b.ReportAllocs()
		n := uintptr(0)
		block, err := rt.NewBlock("v@?@", func(args []uintptr) uintptr { n += args[0]; return 0 })
		require.NoError(b, err)
		for b.Loop() {
			if _, err := rt.InvokeBlock(block, []uintptr{1}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("string round trip", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s := rt.NewString("a label of a buffer")
			if _, err := rt.GoString(s); err != nil {
				b.Fatal(err)
			}
			if err := rt.Release(s); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		New()
	}
}
