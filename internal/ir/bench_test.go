package ir_test

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/test/irtest"
)

func bigKernel() *ir.Module {
	return irtest.Kernel(rand.New(rand.NewPCG(1, 1)), irtest.Config{Size: 5000, Approx: true})
}

func instructions(m *ir.Module) (n int) {
	m.Funcs[0].Body.Walk(func(*ir.Instr) bool { n++; return true })
	return n
}

// BenchmarkBuild also reports the memory per instruction, including its values.
func BenchmarkBuild(b *testing.B) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	m := bigKernel()
	runtime.GC()
	runtime.ReadMemStats(&after)
	n := instructions(m)
	for b.Loop() {
		bigKernel()
	}
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(n), "B/instr")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/instr")
	runtime.KeepAlive(m)
}

func BenchmarkVerify(b *testing.B) {
	m := bigKernel()
	n := instructions(m)
	for b.Loop() {
		if err := m.Verify(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/instr")
}

func BenchmarkPrint(b *testing.B) {
	m := bigKernel()
	n := instructions(m)
	for b.Loop() {
		_ = m.String()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/instr")
}

func BenchmarkParse(b *testing.B) {
	m := bigKernel()
	n, text := instructions(m), m.String()
	for b.Loop() {
		if _, err := ir.Parse(text); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/instr")
}

func BenchmarkUniformity(b *testing.B) {
	m := bigKernel()
	n := instructions(m)
	for b.Loop() {
		m.Funcs[0].Uniformity()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/instr")
}
