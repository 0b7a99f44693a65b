package compute

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/mtl"
)

// ThreadgroupMemory is an argument for a threadgroup memory parameter: its length in bytes.
type ThreadgroupMemory int

// Bytes is an argument by value given as the bytes of the kernel's type: for programs that generate
// kernels and have no Go type for their arguments. Only the number of bytes is checked.
type Bytes []byte

// placed is an argument with an explicit index or name.
type placed struct {
	name  string
	index uint
	value any
}

// At passes an argument at an index of its kind: [[buffer(index)]], [[texture(index)]],
// [[sampler(index)]] or [[threadgroup(index)]].
func At(index uint, value any) any { return placed{index: index, value: value} }

// Named passes an argument to the parameter with the given name.
func Named(name string, value any) any { return placed{name: name, value: value} }

// maxValue is the maximum size of an argument by value, in bytes.
const maxValue = mtl.MaxBytesLength

// kindOfValue returns the kind of parameter that takes the value.
func kindOfValue(v any) ParameterKind {
	switch v.(type) {
	case ThreadgroupMemory, ThreadgroupElements:
		return ThreadgroupParameter
	case mtl.Texture, AnyTexture, textures:
		return TextureParameter
	case mtl.SamplerState, *Sampler, samplers:
		return SamplerParameter
	}
	return BufferParameter
}

// noValue is the error of an argument that is nil.
func noValue() error {
	return fmt.Errorf("no value; omit arguments that the kernel does not use: %w", ErrNil)
}

// arguments checks the arguments of a launch against the kernel's parameters.
func (k *Kernel) arguments(args []any) ([]stream.Argument, error) {
	var next [OtherParameter]int // by kind, the parameter for the next argument without At or Named
	out := make([]stream.Argument, 0, len(args))
	taken := make([]bool, len(k.parameters))
	for n, v := range args {
		if u, ok := v.(interface {
			arguments(k *Kernel, n int) ([]stream.Argument, error)
		}); ok { // Reads, Writes, Overwrites
			more, err := u.arguments(k, n)
			if err != nil {
				return nil, err
			}
			out = append(out, more...)
			continue
		}
		if f, ok := v.(stream.Fills); ok {
			more, err := f.Arguments(&k.core, n)
			if err != nil {
				return nil, err
			}
			out = append(out, more...)
			continue
		}
		at, err := k.place(&next, &v)
		if err != nil {
			return nil, &LaunchError{Kernel: k.core.Name, Argument: fmt.Sprintf("argument %d", n), Err: err}
		}
		p := &k.parameters[at]
		if taken[at] {
			return nil, &LaunchError{Kernel: k.core.Name, Argument: p.String(), Err: errors.New("given twice")}
		}
		switch list := v.(type) {
		case textures:
			out, err = k.textureArray(out, p, list)
		case samplers:
			out, err = k.samplerArray(out, p, list)
		default:
			var a stream.Argument
			a, err = k.argument(p, v)
			out = append(out, a)
		}
		if err != nil {
			return nil, &LaunchError{Kernel: k.core.Name, Argument: p.String(), Err: err}
		}
		taken[at] = true
	}
	out, err := k.sliceLengths(out, taken)
	if err != nil {
		return nil, err
	}
	for i, p := range k.parameters {
		if !taken[i] && p.Used && p.lengthOf == 0 {
			err := fmt.Errorf("missing; the kernel expects %s", p.expected())
			return nil, &LaunchError{Kernel: k.core.Name, Argument: p.String(), Err: err}
		}
	}
	if err := k.checkSharedTextures(out); err != nil {
		return nil, err
	}
	return out, k.checkThreadgroupMemory(out)
}

// expected describes the argument that a parameter takes.
func (p *Parameter) expected() string {
	if p.Kind == OtherParameter {
		return "an argument that launches cannot set"
	}
	if p.Kind == TextureParameter && p.Count > 1 {
		return p.texture() + "; pass them with Textures"
	}
	if p.Kind == TextureParameter {
		return p.texture() + ", which NewTexture or TextureOf makes"
	}
	if p.Kind != BufferParameter {
		return p.Kind.String()
	}
	if p.writes() {
		return "a buffer of " + p.Type + " that the kernel writes"
	}
	return "a buffer or value of " + p.Type
}

// place returns the index of the parameter that an argument is for, and unwraps At and Named.
func (k *Kernel) place(next *[OtherParameter]int, v *any) (int, error) {
	if *v == nil { // of which kind is not known
		return 0, noValue()
	}
	where, given := (*v).(placed)
	if given {
		*v = where.value
	}
	kind := kindOfValue(*v)
	if given && where.name != "" {
		i, err := k.named(where.name)
		if err == nil && k.parameters[i].Kind != kind {
			err = fmt.Errorf("%T does not fit a %v parameter: %w", *v, k.parameters[i].Kind, errNoArgument)
		}
		return i, err
	}
	seen := 0
	for i := range k.parameters {
		switch p := &k.parameters[i]; {
		case p.Kind != kind, p.lengthOf > 0 && !given:
		case given && p.Index == where.index:
			return i, nil
		case !given && seen == next[kind]:
			next[kind]++
			return i, nil
		default:
			seen++
		}
	}
	if given {
		return 0, fmt.Errorf("the kernel has no %v %d: %w", kind, where.index, errNoArgument)
	}
	return 0, fmt.Errorf("one %v too many; the kernel has %d: %w", kind, seen, errNoArgument)
}

// argument checks one argument against its parameter.
func (k *Kernel) argument(p *Parameter, v any) (stream.Argument, error) {
	a := stream.Argument{Kind: stream.ParameterKind(p.Kind), Index: p.Index, Writes: p.writes()}
	switch v := v.(type) {
	case ThreadgroupMemory:
		return a, threadgroupArgument(&a, int(v))
	case ThreadgroupElements:
		return a, elementsArgument(&a, p, int(v))
	case mtl.Texture:
		return a, k.metalTexture(&a, p, v)
	case AnyTexture:
		return a, k.textureArgument(&a, p, v.asTexture())
	case mtl.SamplerState:
		if a.Sampler = v; v.IsNil() {
			return a, fmt.Errorf("no sampler: %w", ErrNil)
		}
		return a, nil
	case *Sampler:
		return a, k.samplerArgument(&a, v)
	case AnyBuffer:
		return a, k.bufferArgument(&a, p, v)
	case Bytes:
		return a, k.bytesArgument(&a, p, v)
	}
	return a, k.valueArgument(&a, p, v)
}

func (k *Kernel) bufferArgument(a *stream.Argument, p *Parameter, v AnyBuffer) error {
	if v.missing() {
		return fmt.Errorf("no buffer: %w", ErrNil)
	}
	element, readOnly := reflect.Type(nil), false
	a.View, element, readOnly = v.asArgument()
	switch {
	case a.View.Mem.Acc != &k.acc.core:
		return fmt.Errorf("%v %w", a.View.Mem, ErrAccelerator)
	case readOnly && a.Writes:
		return fmt.Errorf("%v is read-only, but the kernel writes it: %w", a.View.Mem, ErrStorage)
	case p.Alignment > 1 && a.View.Offset%p.Alignment != 0:
		return fmt.Errorf("begins at byte %d, the kernel requires a multiple of %d: %w", a.View.Offset, p.Alignment, ErrRange)
	case a.View.Length < p.Size:
		return fmt.Errorf("has %d bytes, the kernel reads at least one %s of %d bytes: %w", a.View.Length, p.Type, p.Size,
			ErrRange)
	case k.acc.validation == ValidateAll:
		return checkElement(element, p.typ, p.Size)
	}
	return nil
}

func (k *Kernel) valueArgument(a *stream.Argument, p *Parameter, v any) error {
	if v == nil {
		return noValue()
	}
	t := reflect.TypeOf(v)
	if a.Writes {
		return fmt.Errorf("%v: the kernel writes the argument, so it must be a buffer", t)
	}
	if t.Size() > maxValue {
		return fmt.Errorf("%v has %d bytes, arguments by value at most %d; use a buffer: %w", t, t.Size(), uint(maxValue),
			ErrRange)
	}
	check := func() error { return checkValue(t, p.typ, p.Size) }
	if k.acc.validation == ValidateShape {
		check = func() error { return checkSize(t, p.Size) }
	}
	if err := check(); err != nil {
		return err
	}
	// The kernel may read the padding of its own type.
	a.Bytes = make([]byte, max(uint(t.Size()), p.Size))
	at := reflect.New(t)
	at.Elem().Set(reflect.ValueOf(v))
	copy(a.Bytes, valueBytes(at.UnsafePointer(), t.Size()))
	return nil
}

func (k *Kernel) bytesArgument(a *stream.Argument, p *Parameter, v Bytes) error {
	switch n := uint(len(v)); {
	case a.Writes:
		return fmt.Errorf("%T: the kernel writes the argument, so it must be a buffer", v)
	case n == 0 || n > maxValue:
		return fmt.Errorf("%d bytes; arguments by value have 1 to %d: %w", n, uint(maxValue), ErrRange)
	case p.Size > 0 && n != p.Size:
		return fmt.Errorf("%d bytes, but Metal's %s has %d: %w", n, p.Type, p.Size, ErrRange)
	}
	a.Bytes = append([]byte(nil), v...)
	return nil
}

// checkThreadgroupMemory checks that the threadgroup memory of all arguments, together with what
// the kernel declares, fits the device.
func (k *Kernel) checkThreadgroupMemory(args []stream.Argument) error {
	all := k.core.Made().Limits.StaticThreadgroupMemory
	for _, a := range args {
		if a.Length > k.acc.info.Limits.MaxThreadgroupMemoryLength {
			all = a.Length // so large that the sum might overflow
			break
		}
		all += a.Length
	}
	if limit := k.acc.info.Limits.MaxThreadgroupMemoryLength; all > limit {
		return &LaunchError{Kernel: k.core.Name,
			Err: fmt.Errorf("%d bytes of threadgroup memory, including %d that the kernel declares, exceed the device's %d: %w",
				all, k.core.Made().Limits.StaticThreadgroupMemory, limit, ErrRange)}
	}
	return nil
}
