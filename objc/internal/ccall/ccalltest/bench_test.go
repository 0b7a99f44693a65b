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
