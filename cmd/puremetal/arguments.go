package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/puremetal/puremetal/cmd/puremetal/internal/value"
	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/mtl"
)

// boundArgument is an argument in device memory.
type boundArgument struct {
	parameter *compute.Parameter
	value     *value.Value
	buffer    *compute.Buffer[byte] // nil for a texture
	texture   mtl.Texture
}

func (b *boundArgument) close() {
	if b.buffer != nil {
		b.buffer.Close()
		return
	}
	b.texture.Release()
}

// bind creates the arguments given on the command line, checks them against the kernel's
// reflection, and reports missing ones.
func (j *job) bind() ([]any, error) {
	parameters := j.kernel.Parameters()
	given := make([]bool, len(parameters))
	var args []any
	place := func(flag, text string, kinds ...compute.ParameterKind) (int, string, error) {
		key, val, ok := strings.Cut(text, "=")
		if !ok {
			return 0, "", usage("%s %q; want %s", flag, text,
				map[string]string{"--arg": "INDEX=VALUE", "--threadgroup-memory": "INDEX=BYTES"}[flag])
		}
		at, err := find(parameters, key, kinds...)
		if err != nil {
			return 0, "", usage("%s %s: %v", flag, text, err)
		}
		if given[at] {
			return 0, "", usage("%s %s: %v is given twice", flag, text, &parameters[at])
		}
		given[at] = true
		return at, val, nil
	}
	for i, text := range j.cmd.Arg {
		at, val, err := place("--arg", text, compute.BufferParameter, compute.TextureParameter,
			compute.SamplerParameter)
		if err != nil {
			return nil, err
		}
		p := &parameters[at]
		if p.Kind == compute.SamplerParameter {
			s, err := j.sampler(val)
			if err != nil {
				return nil, err
			}
			args = append(args, compute.At(p.Index, s))
			continue
		}
		v, err := value.Parse(val, j.cmd.argDirs[i])
		if err == nil {
			err = checkType(p, v)
		}
		if err != nil {
			return nil, fmt.Errorf("--arg %s: %w", text, err)
		}
		arg, err := j.place(p, v, *j.cmd.Seed+uint64(i))
		if err != nil {
			return nil, fmt.Errorf("--arg %s: %w", text, err)
		}
		args = append(args, compute.At(p.Index, arg))
	}
	for _, text := range j.cmd.ThreadgroupMemory {
		at, val, err := place("--threadgroup-memory", text, compute.ThreadgroupParameter)
		if err != nil {
			return nil, err
		}
		n, err := strconv.Atoi(val)
		if err != nil || n < 1 {
			return nil, usage("--threadgroup-memory %s: %q is not a positive number of bytes", text, val)
		}
		args = append(args, compute.At(parameters[at].Index, compute.ThreadgroupMemory(n)))
	}
	for i := range parameters {
		p := &parameters[i]
		if p.Kind == compute.SamplerParameter && p.Used && !given[i] {
			s, err := j.sampler("sampler:")
			if err != nil {
				return nil, err
			}
			args = append(args, compute.At(p.Index, s))
			continue
		}
		if p.Used && !given[i] {
			return nil, usage("%v is missing: %s", p, hint(p))
		}
	}
	return args, nil
}

// find returns the parameter that a key names. A key is a name, a kind with an index, such as
// texture0, or an index alone, which prefers a buffer.
func find(parameters []compute.Parameter, key string, kinds ...compute.ParameterKind) (int, error) {
	var names []string
	for _, kind := range kinds {
		digits := key
		if word := kindWord(kind); len(kinds) > 1 || word == "buffer" {
			digits = strings.TrimPrefix(key, word)
		}
		index, numeric := strconv.ParseUint(digits, 10, 32)
		for i := range parameters {
			p := &parameters[i]
			if p.Kind != kind {
				continue
			}
			if numeric == nil && uint64(p.Index) == index || p.Name == key {
				return i, nil
			}
			names = append(names, p.String())
		}
	}
	if len(names) == 0 {
		return 0, fmt.Errorf("the kernel takes no %v", kinds[0])
	}
	return 0, fmt.Errorf("the kernel has no such argument; it has %s", strings.Join(names, ", "))
}

func kindWord(k compute.ParameterKind) string {
	switch k {
	case compute.TextureParameter:
		return "texture"
	case compute.SamplerParameter:
		return "sampler"
	}
	return "buffer"
}

// checkType checks a value's type against the kernel's parameter.
func checkType(p *compute.Parameter, v *value.Value) error {
	if p.Kind == compute.TextureParameter {
		_, err := textureFormat(p, v)
		return err
	}
	scalar := strings.TrimPrefix(p.Type, "packed_")
	scalar = strings.TrimRight(scalar, "234x")
	want, err := value.ParseType(scalar)
	switch {
	case err != nil: // a structure, or a type that reflection does not name: only the size is known
	case v.Struct, want.Scalar.Size() == 1 && want.Scalar != value.Bool: // bytes can hold anything
	case want.Scalar != v.Type.Scalar:
		return &usageError{fmt.Errorf("%v is %s, but the kernel takes %s", p, v.Describe(), p.Type)}
	}
	if n := uint(v.Size()); v.Struct && p.Size > 0 && n > p.Size && n%p.Size != 0 {
		return &usageError{fmt.Errorf("%v: %s is not a multiple of the %d bytes of a %s", p, v.Describe(), p.Size, p.Type)}
	}
	if uint(v.Size()) < p.Size {
		return &usageError{fmt.Errorf("%v: the value has %d bytes, but the kernel reads at least one %s of %d", p,
			v.Size(), p.Type, p.Size)}
	}
	return nil
}

// hint suggests values for a missing argument.
func hint(p *compute.Parameter) string {
	switch p.Kind {
	case compute.BufferParameter:
		access := map[mtl.BindingAccess]string{mtl.BindingAccessReadOnly: "reads", mtl.BindingAccessWriteOnly: "writes",
			mtl.BindingAccessReadWrite: "reads and writes"}[p.Access]
		if _, err := value.ParseType(p.Type); err == nil {
			return fmt.Sprintf("the kernel %s %s; use --arg %d=zeros:%s[N], %s:..., or @file.npy", access, p.Type,
				p.Index, p.Type, p.Type)
		}
		return fmt.Sprintf("the kernel %s a %s of %d bytes; use --arg %d={TYPE:NUMBER;...} or @file.npy", access,
			p.Type, p.Size, p.Index)
	case compute.TextureParameter:
		if p.Count > 1 {
			return "puremetal run does not support arrays of textures"
		}
		return fmt.Sprintf("use --arg %s=@photo.png or zeros:%s4[HEIGHT,WIDTH]", p.Name, p.Type)
	case compute.ThreadgroupParameter:
		return fmt.Sprintf("use --threadgroup-memory %d=BYTES", p.Index)
	}
	return "puremetal run does not support function tables, acceleration structures and tensors"
}

// place copies a value to device memory.
func (j *job) place(p *compute.Parameter, v *value.Value, seed uint64) (any, error) {
	if p.Kind == compute.TextureParameter {
		return j.texture(p, v, seed)
	}
	b, err := compute.NewBuffer[byte](j.acc, v.Size(), compute.BufferOptions{Label: p.Name})
	if err != nil {
		return nil, err
	}
	j.bound = append(j.bound, &boundArgument{parameter: p, value: v, buffer: b})
	data, err := b.Data()
	if err != nil { // a GPU with dedicated memory
		data = make([]byte, v.Size())
		v.Fill(data, seed)
		return b, b.Upload(j.ctx, data)
	}
	v.Fill(data, seed)
	return b, nil
}

// grid returns the launch size of --grid and --group.
func (c *runCmd) grid() (compute.Grid, error) {
	grid, err := extent("--grid", c.Grid)
	if err != nil {
		return nil, err
	}
	t := compute.Threads{Grid: grid}
	if c.Group != "" {
		t.Group, err = extent("--group", c.Group)
	}
	return t, err
}

// extent parses X, X,Y or X,Y,Z.
func extent(flag, text string) (compute.Extent, error) {
	e := compute.Extent{X: 1, Y: 1, Z: 1}
	parts := strings.Split(text, ",")
	if len(parts) > 3 {
		return e, usage("%s %q has %d numbers; want X, X,Y or X,Y,Z", flag, text, len(parts))
	}
	for i, to := range []*int{&e.X, &e.Y, &e.Z}[:len(parts)] {
		n, err := strconv.Atoi(strings.TrimSpace(parts[i]))
		if err != nil || n < 1 {
			return e, usage("%s %q: %q is not a number of threads; want positive integers", flag, text, parts[i])
		}
		*to = n
	}
	return e, nil
}

// defines returns the macros of -D flags. A name without a value is defined as 1.
func defines(flags []string) (map[string]string, error) {
	out := make(map[string]string, len(flags))
	for _, text := range flags {
		name, val, ok := strings.Cut(text, "=")
		if !ok {
			val = "1"
		}
		if !identifier(name) {
			return nil, usage("-D %q: %q is not a valid macro name", text, name)
		}
		out[name] = val
	}
	return out, nil
}

func identifier(s string) bool {
	for i, c := range s {
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// joinNames joins names for a message, at most 20 of them.
func joinNames(names []string) string {
	const limit = 20
	switch {
	case len(names) == 0:
		return "no kernels"
	case len(names) > limit:
		return fmt.Sprintf("%d kernels: %s, ...", len(names), strings.Join(names[:limit], ", "))
	}
	return strings.Join(names, ", ")
}
