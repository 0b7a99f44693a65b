//go:build linux && (amd64 || arm64)

package ccalltest_test

import (
	"testing"

	"github.com/puremetal/puremetal/objc/internal/ccall"
)

// The stand-in for objc_msgSend returns its receiver: its own lookup is not in
// these figures.

func BenchmarkCall(b *testing.B) {
	for _, c := range []struct{ name, enc string }{
		{"0args", "@@:"},
		{"3args", "v@:@QQ"},
		{"4args", "@@:QQQQ"},
		{"MTLSize", "v@:{?=QQQ}{?=QQQ}"},
		{"floats", "d@:fd"},
		{"stret", "{?=QQQ}@:"},
		{"copyFromTexture", "v@:@QQ{?=QQQ}{?=QQQ}@QQ{?=QQQ}"},
	} {
		b.Run(c.name, func(b *testing.B) {
			send := fn(b, "msg_send")
			if c.name == "stret" {
				send = fn(b, "untouched")
			}
			p := plan(b, c.enc)
			b.ReportAllocs()
			for b.Loop() {
				var args [17]uintptr
				var ret [4]uintptr
				p.Call(send, 1, 2, args[:p.ArgWords()-2], ret[:p.RetWords()])
			}
		})
	}
	b.Run("CallC", func(b *testing.B) {
		send := fn(b, "msg_send")
		b.ReportAllocs()
		for b.Loop() {
			ccall.CallC(send, 1, 2, 3)
		}
	})
}

func BenchmarkBatch(b *testing.B) {
	for _, n := range []int{1, 10, 100} {
		b.Run(map[int]string{1: "1", 10: "10", 100: "100"}[n], func(b *testing.B) {
			send := fn(b, "msg_send")
			p := plan(b, "v@:@QQ")
			var batch ccall.Batch
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				batch.Add(p, send, 1, 2, 3, 4, 5)
				if i++; i == n {
					_ = batch.Run()
					batch.Reset()
					i = 0
				}
			}
		})
	}
	b.Run("dispatch100", func(b *testing.B) {
		send := fn(b, "msg_send")
		p := plan(b, "v@:{?=QQQ}{?=QQQ}")
		var batch ccall.Batch
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			batch.Add(p, send, 1, 2, 3, 4, 5, 6, 7, 8)
			if i++; i == 100 {
				_ = batch.Run()
				batch.Reset()
				i = 0
			}
		}
	})
	b.Run("replay100", func(b *testing.B) {
		send := fn(b, "msg_send")
		p := plan(b, "v@:@QQ")
		var batch ccall.Batch
		for range 100 {
			batch.Add(p, send, 1, 2, 3, 4, 5)
		}
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			if i++; i == 100 {
				batch.SetArg(50, 3, uintptr(i))
				_ = batch.Run()
				i = 0
			}
		}
	})
	b.Run("chain4", func(b *testing.B) {
		send := fn(b, "msg_send")
		p := plan(b, "@@:@QQ")
		var batch ccall.Batch
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			if i == 0 {
				batch.Add(p, send, 1, 2, 3, 4, 5)
			} else {
				batch.AddChained(p, send, i-1, 2, 3, 4, 5)
			}
			if i++; i == 4 {
				_ = batch.Run()
				batch.Reset()
				i = 0
			}
		}
	})
}
