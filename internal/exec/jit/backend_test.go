package jit

import (
	"testing"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/vm"
	"github.com/puremetal/puremetal/internal/ir/lir"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// backend is the interpreter's backend, whose programs are forms.
type backend struct {
	Strip    int
	PlainGo  bool
	Machine  exec.MachineCompiler
	compiled func([]*Range) // called for each form; or nil
}

// form is a program of a backend, with what it was compiled from and to.
type form struct {
	exec.Program
	lir    *lir.Program
	ranges []*Range
}

// Lanes implements exec.Backend.
func (b backend) Lanes() int { return vm.Backend{Strip: b.Strip}.Lanes() }

// Compile implements exec.Backend.
func (b backend) Compile(c exec.Code) (exec.Program, error) {
	p := &form{lir: c.LIR}
	inner := vm.Backend{Strip: b.Strip, PlainGo: b.PlainGo, Machine: b.Machine,
		Compiled: func(_ exec.Code, list []*exec.MachineRange) {
			for _, r := range list {
				p.ranges = append(p.ranges, r.MachineCode.(*Range))
			}
			if b.compiled != nil {
				b.compiled(p.ranges)
			}
		}}
	var err error
	p.Program, err = inner.Compile(c)
	return p, err
}

// compiled returns a kernel's form for a shape.
func compiled(k *exec.Kernel, shape [3]int) (*form, error) {
	p, err := k.Program(shape)
	if err != nil {
		return nil, err
	}
	return p.(*form), nil
}

// kernelsOf compiles MSL and returns its kernels by name.
func kernelsOf(tb testing.TB, text string) map[string]*exec.Kernel {
	tb.Helper()
	ks := map[string]*exec.Kernel{}
	for _, f := range testlaunch.Compile(tb, text) {
		ks[f.Name] = exec.NewKernel(f, exec.Options{Backend: backend{}})
	}
	return ks
}

func words(x ...uint32) []byte { return testlaunch.Words(x...) }

func noise(n int) []byte { return testlaunch.Noise(n) }

// hardNumbers are bit patterns that are special for some kind of number.
var hardNumbers = []uint32{0, 1, 2, 31, 32, 33, 1 << 31, 1<<31 - 1, 1<<31 + 1, 1<<32 - 1, 1<<32 - 2, 0x7f800000,
	0xff800000, 0x7f7fffff, 0x00800000, 0x007fffff, 0x80000001,
	0x3f800000, 0xbf800000, 0x7fc00000, 0xffc00000, 0x7fc00001, 0x4f000000, 0x34000000}
