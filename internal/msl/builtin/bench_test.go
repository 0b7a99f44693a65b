package builtin

import (
	"testing"

	"github.com/puremetal/puremetal/internal/msl/types"
)

// BenchmarkInstances expands one overload set in a new library, then looks it up again.
func BenchmarkInstances(b *testing.B) {
	fns := LookupIn("metal", "max")
	b.Run("first", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			l := New(types.NewUniverse())
			for _, f := range fns {
				l.Instances(f)
			}
		}
	})
	b.Run("again", func(b *testing.B) {
		b.ReportAllocs()
		l := New(types.NewUniverse())
		for b.Loop() {
			for _, f := range LookupIn("metal", "max") {
				l.Instances(f)
			}
		}
	})
}
