package computetest

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/gokernel"
	translator "github.com/puremetal/puremetal/internal/gokernel"
	"github.com/puremetal/puremetal/kernel"
	"github.com/puremetal/puremetal/simd"
)

// EqualOnCPU runs a kernel written in Go on the CPU, with kernel.Run, and on the device, and fails
// the test unless both leave the same bits in all slices and textures. NaNs are equal to each
// other. The device gets the translation of the function's package, so that no launchers need to be
// generated.
//
// fn is a function with a line //puremetal:kernel, and args are its arguments after the
// *kernel.Thread: slices, values, and for each texture a *kernel.Image, of which both runs get
// copies. A slice or an image that is given twice is shared by both parameters. The length of each
// kernel.SharedSlice follows as an int. If the grid has no threadgroup, both runs have the one that
// the device chooses.
//
//	computetest.EqualOnCPU(t, kernels.Saxpy, compute.Threads1D(len(y)), float32(2), x, y)
//
// In a test binary that was built with -trimpath, the package must be of the module of the test's
// working directory, which is the folder of the tested package.
func EqualOnCPU(t testing.TB, fn any, grid compute.Grid, args ...any) {
	t.Helper()
	f, err := functionOf(fn)
	if err != nil {
		t.Fatalf("computetest: EqualOnCPU: %v", err)
	}
	if err := f.take(args); err != nil {
		t.Fatalf("computetest: EqualOnCPU: %s: kernel %s: %v", f.at, f.name, err)
	}
	acc := Open(t, compute.WithValidation(compute.ValidateShape)) // the translator has checked layouts
	group, err := f.onDevice(t, acc, grid)
	if err == nil {
		err = f.onCPU(grid, group)
	}
	if err != nil {
		t.Fatalf("computetest: EqualOnCPU: %s: kernel %s: %v", f.at, f.name, err)
	}
	for _, text := range f.differences() {
		t.Errorf("computetest: %s: kernel %s: %s", f.at, f.name, text)
	}
}

// function is a kernel with the arguments of its two runs.
type function struct {
	value reflect.Value
	name  string
	dir   string // of its package
	at    string // file:line

	params []reflect.Value // of the CPU, after the thread; slices and images are copies
	device []any           // of the device, in the same order: nil for slices and textures
	memory [][]byte        // of the device, of slices and textures
	images []*kernel.Image // of textures, the argument; otherwise nil
	same   []int           // the parameter whose memory one is; its own number if it is the first
	shared []int           // lengths of shared slices
	names  []string        // of the parameters, once the package is compiled
}

// functionOf finds the package of a function.
func functionOf(fn any) (*function, error) {
	v := reflect.ValueOf(fn)
	if !v.IsValid() || v.Kind() != reflect.Func || v.IsNil() {
		return nil, fmt.Errorf("%T is no function", fn)
	}
	typ := v.Type()
	if typ.NumIn() == 0 || typ.In(0) != reflect.TypeFor[*kernel.Thread]() || typ.NumOut() > 0 {
		return nil, fmt.Errorf("%v is no kernel, whose first parameter is a *kernel.Thread and which returns nothing", typ)
	}
	r := runtime.FuncForPC(v.Pointer())
	file, line := r.FileLine(r.Entry())
	full := r.Name()
	_, name, _ := strings.Cut(full[strings.LastIndex(full, "/")+1:], ".")
	f := &function{value: v, name: name, at: fmt.Sprintf("%s:%d", file, line)}
	switch {
	case name == "" || strings.ContainsAny(name, ".[("):
		return f, fmt.Errorf("%s: %s is no function that a package declares under a name", f.at, full)
	case strings.HasSuffix(file, "_test.go"):
		return f, fmt.Errorf("%s: kernel %s is in a test file, which is not translated; put it into another one", f.at, name)
	}
	var err error
	f.dir, err = folderOf(file)
	return f, err
}

// folderOf returns the folder of a file as the compiler names it: with its full path, or with
// -trimpath the import path and the name.
func folderOf(file string) (string, error) {
	if filepath.IsAbs(file) {
		return filepath.Dir(file), nil
	}
	at, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if text, err := os.ReadFile(filepath.Join(at, "go.mod")); err == nil {
			module := translator.ModulePath(string(text))
			rel, ok := strings.CutPrefix(path.Dir(file), module)
			if !ok || rel != "" && rel[0] != '/' {
				return "", fmt.Errorf("%s is not of the module %s in %s, and the test was built with -trimpath", file, module, at)
			}
			return filepath.Join(at, filepath.FromSlash(rel)), nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("%s: the test was built with -trimpath, and its working directory is in no module", file)
		}
		at = filepath.Dir(at)
	}
}

// take checks the arguments and copies slices.
func (f *function) take(args []any) error {
	typ := f.value.Type()
	n := typ.NumIn() - 1
	if len(args) < n {
		return fmt.Errorf("%d arguments, want %d after the thread", len(args), n)
	}
	for i, arg := range args[:n] {
		want, v := typ.In(i+1), reflect.ValueOf(arg)
		m, texture := imageOf(want, arg)
		f.images = append(f.images, m)
		if texture {
			if err := f.takeImage(i, want); err != nil {
				return fmt.Errorf("argument %d: %w", i, err)
			}
			continue
		}
		if !v.IsValid() || !v.Type().AssignableTo(want) {
			return fmt.Errorf("argument %d is a %T, want %v", i, arg, want)
		}
		f.same = append(f.same, i)
		if want.Kind() != reflect.Slice {
			own := reflect.New(want).Elem()
			own.Set(v)
			f.params, f.device, f.memory = append(f.params, own), append(f.device, own.Interface()), append(f.memory, nil)
			continue
		}
		for k, other := range args[:i] {
			o := reflect.ValueOf(other)
			if o.Kind() == reflect.Slice && o.Type().Elem() == want.Elem() && o.Len() == v.Len() && v.Len() > 0 &&
				o.Pointer() == v.Pointer() && f.same[i] == i {
				f.same[i] = k
			}
		}
		if k := f.same[i]; k < i {
			f.params, f.memory = append(f.params, f.params[k].Convert(want)), append(f.memory, f.memory[k])
		} else {
			own := reflect.MakeSlice(want, v.Len(), v.Len())
			reflect.Copy(own, v)
			f.params, f.memory = append(f.params, own), append(f.memory, bytes.Clone(bytesOf(own)))
		}
		f.device = append(f.device, nil)
	}
	for i, arg := range args[n:] {
		length, ok := arg.(int)
		if !ok || length < 1 {
			return fmt.Errorf("argument %d is %v (%T), want the length of a kernel.SharedSlice, an int above 0", n+i, arg, arg)
		}
		f.shared = append(f.shared, length)
	}
	return nil
}

// onDevice runs the translation and returns the threadgroup.
func (f *function) onDevice(t testing.TB, acc *compute.Accelerator, grid compute.Grid) (compute.Extent, error) {
	ctx := t.Context()
	p, err := gokernel.Compile(ctx, acc, nil, f.dir, compute.CompileOptions{})
	if err != nil {
		return compute.Extent{}, err
	}
	defer p.Close()
	k, err := p.Kernel(f.name)
	if err != nil {
		return compute.Extent{}, err
	}
	shared := 0
	for _, a := range p.Translation().Kernel(f.name).Args {
		switch a.Kind {
		case "threadgroup":
			shared++
		case "buffer", "value", "texture":
			f.names = append(f.names, a.Name)
		}
	}
	if shared != len(f.shared) {
		return compute.Extent{}, fmt.Errorf("%d lengths of shared slices, want %d", len(f.shared), shared)
	}
	var list []any
	buffers, textures := make([]*compute.Buffer[byte], len(f.device)), make([]*texture, len(f.device))
	for i, arg := range f.device {
		switch {
		case arg != nil:
			list = append(list, arg)
			continue
		case f.images[i] != nil:
			if k := f.same[i]; k < i {
				textures[i] = textures[k]
			} else if textures[i], err = textureOf(ctx, acc, f.images[i]); err != nil {
				return compute.Extent{}, err
			} else {
				defer textures[i].close()
			}
			list = append(list, textures[i].AnyTexture)
			continue
		case f.same[i] < i:
			buffers[i] = buffers[f.same[i]]
		default:
			data := f.memory[i]
			if len(data) == 0 { // a buffer has at least one element
				data = make([]byte, max(int(f.params[i].Type().Elem().Size()), 1))
			}
			b, err := compute.BufferOf(ctx, acc, data)
			if err != nil {
				return compute.Extent{}, err
			}
			defer b.Close()
			buffers[i] = b
		}
		list = append(list, buffers[i])
	}
	for i, param := range f.params {
		if f.device[i] == nil && f.images[i] == nil && param.Len() == 0 && f.names[i] != "_" {
			list = append(list, compute.Named("len("+f.names[i]+")", uint32(0)))
		}
	}
	for _, n := range f.shared {
		list = append(list, compute.ThreadgroupElements(n))
	}
	l, err := k.Bind(grid, list...)
	if err != nil {
		return compute.Extent{}, err
	}
	s, err := acc.NextStream()
	if err != nil {
		return compute.Extent{}, err
	}
	group := l.Group()
	if err = s.Run(ctx, l); errors.Is(err, compute.ErrGridSync) {
		err = s.RunCooperative(ctx, l)
	}
	if err == nil {
		err = s.Sync(ctx)
	}
	for i, b := range buffers {
		switch {
		case err != nil || f.same[i] < i:
		case textures[i] != nil:
			err = textures[i].download(ctx, f.memory[i])
		case b != nil && len(f.memory[i]) > 0:
			err = b.Download(ctx, f.memory[i])
		}
	}
	return group, err
}

// onCPU runs the function on the CPU.
func (f *function) onCPU(grid compute.Grid, group compute.Extent) error {
	index := func(e compute.Extent) kernel.Index {
		return kernel.Index{X: uint32(e.X), Y: uint32(max(e.Y, 1)), Z: uint32(max(e.Z, 1))}
	}
	size := index(group)
	var threads kernel.Index
	switch g := grid.(type) {
	case compute.Threads:
		threads = index(g.Grid)
	case compute.Threadgroups:
		threads = index(g.Grid)
		threads.X, threads.Y, threads.Z = threads.X*size.X, threads.Y*size.Y, threads.Z*size.Z
	default:
		return fmt.Errorf("a grid of type %T; want compute.Threads or compute.Threadgroups", grid)
	}
	err := kernel.Run(threads, size, func(t *kernel.Thread) {
		in := make([]reflect.Value, 0, 1+len(f.params))
		f.value.Call(append(append(in, reflect.ValueOf(t)), f.params...))
	}, f.shared...)
	if err != nil {
		return fmt.Errorf("on the CPU: %w", err)
	}
	return nil
}

// differences compares the slices and textures of the two runs and describes the first difference
// of each.
func (f *function) differences() (list []string) {
	for i, cpu := range f.params {
		if f.images[i] != nil {
			if text := f.texelDifference(i); text != "" && f.same[i] == i {
				list = append(list, text)
			}
			continue
		}
		if f.device[i] != nil || f.same[i] < i || bytes.Equal(bytesOf(cpu), f.memory[i]) {
			continue
		}
		device := reflect.MakeSlice(cpu.Type(), cpu.Len(), cpu.Len())
		copy(bytesOf(device), f.memory[i])
		first, n := "", 0
		for k := range cpu.Len() {
			if text := compareValues(fmt.Sprintf("%s[%d]", f.names[i], k), device.Index(k), cpu.Index(k)); text != "" {
				if n++; n == 1 {
					first = text
				}
			}
		}
		if n > 0 {
			list = append(list, fmt.Sprintf("%s; %d of %d elements differ", first, n, cpu.Len()))
		}
	}
	return list
}

// compareValues describes how two values differ, "" if they do not.
func compareValues(name string, device, cpu reflect.Value) string {
	differ := func(equal bool, digits int, d, c uint64) string {
		if equal {
			return ""
		}
		return fmt.Sprintf("%s is %v (%#0*x) on the device, %v (%#0*x) on the CPU", name, text(device), digits, d,
			text(cpu), digits, c)
	}
	switch typ := cpu.Type(); typ.Kind() {
	case reflect.Struct:
		for i := range typ.NumField() {
			if typ.Field(i).Name != "_" {
				if text := compareValues(name+"."+typ.Field(i).Name, device.Field(i), cpu.Field(i)); text != "" {
					return text
				}
			}
		}
		return ""
	case reflect.Array:
		for i := range typ.Len() {
			if text := compareValues(fmt.Sprintf("%s[%d]", name, i), device.Index(i), cpu.Index(i)); text != "" {
				return text
			}
		}
		return ""
	case reflect.Bool:
		if device.Bool() == cpu.Bool() {
			return ""
		}
		return fmt.Sprintf("%s is %v on the device, %v on the CPU", name, device.Bool(), cpu.Bool())
	case reflect.Float32:
		d, c := math.Float32bits(float32(device.Float())), math.Float32bits(float32(cpu.Float()))
		return differ(d == c || device.Float() != device.Float() && cpu.Float() != cpu.Float(), 8, uint64(d), uint64(c))
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Int:
		if device.Int() == cpu.Int() {
			return ""
		}
		return fmt.Sprintf("%s is %d on the device, %d on the CPU", name, device.Int(), cpu.Int())
	default:
		d, c := device.Uint(), cpu.Uint()
		equal := d == c
		if x, ok := half(device); ok && x != x {
			y, _ := half(cpu)
			equal = equal || y != y
		}
		return differ(equal, 2*int(typ.Size()), d, c)
	}
}

// half returns the value of a 16-bit floating-point number.
func half(v reflect.Value) (float32, bool) {
	switch v.Type() {
	case reflect.TypeFor[simd.Half]():
		return simd.Half(v.Uint()).Float32(), true
	case reflect.TypeFor[simd.BFloat16]():
		return simd.BFloat16(v.Uint()).Float32(), true
	}
	return 0, false
}

// text returns a number.
func text(v reflect.Value) any {
	if x, ok := half(v); ok {
		return x
	}
	if v.Kind() == reflect.Float32 {
		return float32(v.Float())
	}
	return v.Uint()
}
