package vm

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir/build"
	"github.com/puremetal/puremetal/internal/ir/opt"
	"github.com/puremetal/puremetal/internal/test/irtest"
)

// encoded returns kernels as bytes, each in its own module, as in archives.
func encoded(t testing.TB) (list [][]byte) {
	fs, err := written()
	require.NoError(t, err)
	for n := range uint64(20) {
		fs = append(fs, irtest.Kernel(rand.New(rand.NewPCG(n, 21)), irtest.Config{Size: 10 + int(n)*3}).Funcs...)
	}
	for _, f := range fs {
		m := *f.Module
		m.Funcs = []*ir.Func{f}
		data, err := m.Encode()
		require.NoError(t, err)
		list = append(list, data)
	}
	return list
}

// mutated changes bytes of an encoded module according to the fuzzer's bytes, and corrects the
// checksum.
func mutated(data, changes []byte) []byte {
	data = bytes.Clone(data)
	m := &mutator{rest: changes}
	for len(m.rest) > 0 && len(data) > irtest.EncodedHeader {
		at := irtest.EncodedHeader + m.n(len(data)-irtest.EncodedHeader)
		switch m.n(8) {
		case 0:
			data[at] ^= 1 << m.n(8)
		case 1, 2:
			data[at] += byte(m.n(9) - 4)
		case 3:
			data[at] = byte(m.n(256))
		case 4: // a byte from another position
			data[at] = data[irtest.EncodedHeader+m.n(len(data)-irtest.EncodedHeader)]
		case 5:
			data = slices.Delete(data, at, min(at+1+m.n(4), len(data)))
		case 6:
			data = slices.Insert(data, at, byte(m.n(256)))
		case 7: // duplicate a piece
			data = slices.Insert(data, at, bytes.Clone(data[at:min(at+1+m.n(24), len(data))])...)
		}
	}
	return irtest.Sealed(data)
}

// mostThreadMemory bounds the total size of the variables of a group's threads, as the device does
// when it creates a pipeline.
const mostThreadMemory = 32 << 20

// runEncoded decodes, optimizes, builds and runs a kernel from arbitrary bytes. It returns whether
// anything ran.
func runEncoded(t *testing.T, data []byte, seed uint64, launch []byte) (ran bool) {
	m, err := ir.Decode(data)
	if err != nil || len(m.Funcs) == 0 {
		return false
	}
	f := m.Funcs[0]
	shapes := [][3]int{{40, 1, 1}, {1, 1, 1}, {32, 1, 1}, {300, 1, 1}, {16, 2, 1}}
	shape := shapes[seed/16%uint64(len(shapes))]
	memory := 0
	f.Body.Walk(func(in *ir.Instr) bool {
		if in.Op == ir.OpAlloca {
			memory += int(in.Imm)
		}
		return true
	})
	if memory*shape[0]*shape[1] > mostThreadMemory {
		return false
	}
	k := exec.NewKernel(f, exec.Options{Backend: Backend{}, Off: opt.All * opt.Pass(seed/8&1)})
	p, err := build.ProgramOfWidth(k.Optimized(), shape, []int{32, 256}[seed/2&1])
	if err != nil {
		return false
	}
	p.Simplify(0)
	p.Allocate()
	if err := p.Verify(); err != nil {
		t.Fatalf("a valid kernel made a program that is not: %v", err)
	}
	return runGuarded(t, f, p, launch, rand.New(rand.NewPCG(seed, 22)), seed/4&1 != 0)
}

// FuzzEncoded: a kernel from bytes with a correct checksum, which anyone who writes an archive can
// produce, is rejected, or is optimized, built and run, without panics or out-of-bounds accesses,
// and terminates.
func FuzzEncoded(f *testing.F) {
	list := encoded(f)
	rng := rand.New(rand.NewPCG(1, 23))
	for i := range list {
		f.Add(uint64(i), randomBytes(rng, i%7*4), randomBytes(rng, 40))
	}
	f.Fuzz(func(t *testing.T, seed uint64, changes, launch []byte) {
		if len(changes) > 256 {
			return
		}
		hangs := time.AfterFunc(time.Minute, func() { panic("a kernel of little fuel has run for a minute") })
		defer hangs.Stop()
		runEncoded(t, mutated(list[seed%uint64(len(list))], changes), seed/uint64(len(list)), launch)
	})
}

// TestMutatedEncoding runs part of FuzzEncoded with random numbers: some of the inputs must be
// rejected, and some must run.
func TestMutatedEncoding(t *testing.T) {
	list := encoded(t)
	ran, n := 0, 3000
	for seed := range uint64(n) {
		rng := rand.New(rand.NewPCG(seed, 24))
		data := mutated(list[rng.IntN(len(list))], randomBytes(rng, 3+rng.IntN(7)))
		if runEncoded(t, data, rng.Uint64(), randomBytes(rng, rng.IntN(60))) {
			ran++
		}
	}
	t.Logf("%d of %d run", ran, n)
	require.Greater(t, ran, n/50)
	require.Less(t, ran, n)
}
