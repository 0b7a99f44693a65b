package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/puremetal/puremetal/cmd/puremetal/internal/value"
	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/translate"
)

// memory is a value in device memory: a buffer or a texture.
type memory struct {
	from   option // that gave the value
	name   string // among [buffers], otherwise of the parameter
	value  *value.Value
	seed   uint64
	first  *compute.Parameter    // that the memory was made for, nil before
	buffer *compute.Buffer[byte] // nil for a texture

	textures []texture       // several for an array of textures
	chosen   option          // their pixel format: NAME=FORMAT
	format   mtl.PixelFormat // the format they have
}

func (m *memory) close() {
	if m.buffer != nil {
		m.buffer.Close()
		return
	}
	for _, t := range m.textures {
		t.close()
	}
}

// binding is an argument of a step.
type binding struct {
	parameter *compute.Parameter
	memory    *memory
}

// bind creates the arguments of a step, checks them against the kernel's reflection, and reports
// missing ones.
func (j *job) bind(l *launch) ([]any, error) {
	parameters := l.takes
	given := make([]bool, len(parameters))
	var args []any
	place := func(o option, want string, kinds ...compute.ParameterKind) (int, string, error) {
		key, val, err := assignment(o, want)
		if err != nil {
			return 0, "", err
		}
		at, err := find(parameters, key, kinds...)
		if err != nil {
			return 0, "", usage("%v: %v", o, err)
		}
		if given[at] {
			return 0, "", usage("%v: %v is given twice", o, &parameters[at])
		}
		given[at] = true
		return at, val, nil
	}
	formats := make([]option, len(parameters))
	for _, o := range l.formats {
		key, _, err := assignment(o, "INDEX=FORMAT")
		if err != nil {
			return nil, err
		}
		at, err := find(parameters, key, compute.TextureParameter)
		if err != nil {
			return nil, usage("%v: %v", o, err)
		}
		formats[at] = o
	}
	for _, o := range l.args {
		seed := *j.cmd.Seed + j.seeds
		j.seeds++
		at, val, err := place(o, "INDEX=VALUE", compute.BufferParameter, compute.TextureParameter,
			compute.SamplerParameter)
		if err != nil {
			return nil, err
		}
		p := &parameters[at]
		var arg any
		switch {
		case p.Kind == compute.SamplerParameter:
			arg, err = j.samplers(val)
		case j.isLength(l, p):
			arg, err = sliceLength(val)
		default:
			arg, err = j.argument(l, p, &memory{from: o, name: p.Name, seed: seed, chosen: formats[at]}, val)
		}
		if err != nil {
			return nil, fmt.Errorf("%v: %w", o, err)
		}
		args = append(args, compute.At(p.Index, arg))
	}
	for _, o := range l.threadgroup {
		at, val, err := place(o, "INDEX=BYTES", compute.ThreadgroupParameter)
		if err != nil {
			return nil, err
		}
		n, err := strconv.Atoi(val)
		if err != nil || n < 1 {
			return nil, usage("%v: %q is not a positive number of bytes", o, val)
		}
		args = append(args, compute.At(parameters[at].Index, compute.ThreadgroupMemory(n)))
	}
	for i := range parameters {
		p := &parameters[i]
		if p.Kind == compute.SamplerParameter && p.Used && !given[i] {
			s, err := j.defaultSamplers(parameters, p)
			if err != nil {
				return nil, err
			}
			args = append(args, compute.At(p.Index, s))
			continue
		}
		if p.Used && !given[i] && !j.isLength(l, p) {
			return nil, l.usage("%v is missing: %s", p, hint(l.step, p))
		}
	}
	return args, nil
}

// isLength reports whether a parameter is the length of a slice of a kernel in Go, which package
// compute fills in.
func (j *job) isLength(l *launch, p *compute.Parameter) bool {
	k := j.program.Translation().Kernel(l.kernel.Name())
	return k != nil && p.Kind == compute.BufferParameter && slices.ContainsFunc(k.Args, func(a translate.Argument) bool {
		return a.Kind == "length" && a.Index == int(p.Index)
	})
}

// sliceLength reads the length of a slice.
func sliceLength(text string) (uint32, error) {
	n, err := strconv.ParseUint(strings.TrimPrefix(text, "uint:"), 0, 32)
	if err != nil {
		return 0, usage("%q is no length of a slice; want a number of elements", text)
	}
	return uint32(n), nil
}

// argument returns the buffer or texture of an argument: one of [buffers], or m with its own value.
func (j *job) argument(l *launch, p *compute.Parameter, m *memory, text string) (any, error) {
	at := slices.IndexFunc(j.shared, func(m *memory) bool { return m.name == text })
	switch {
	case at >= 0:
		m = j.shared[at]
	case l.number > 0 && identifier(text) && !value.Untyped(text):
		return nil, usage("%s", noBuffer(j.plan.buffers, text))
	default:
		var err error
		if m.value, err = j.value(text, m.from.dir, p); err != nil {
			return nil, err
		}
	}
	if err := checkType(p, m.value); err != nil {
		return nil, err
	}
	switch {
	case m.first == nil:
		m.first = p
		if err := j.place(m); err != nil {
			return nil, err
		}
	case m.first.Kind != p.Kind:
		return nil, usage("%s is a %v in an earlier step and cannot be %v, too", m.name, m.first.Kind, p)
	case p.Kind == compute.TextureParameter:
		if err := m.fits(p); err != nil {
			return nil, err
		}
	}
	l.bound = append(l.bound, binding{p, m})
	if m.buffer != nil {
		return m.buffer, nil
	}
	return m.argument(p), nil
}

// value parses the value of a parameter. Numbers without a type have that of the parameter.
func (j *job) value(text, dir string, p *compute.Parameter) (*value.Value, error) {
	if value.Untyped(text) && p.Kind == compute.BufferParameter {
		if _, err := value.ParseType(p.Type); err != nil {
			return nil, usage("%q is a number without a type, and the kernel takes a %s; want %s", text, p.Type,
				"{TYPE:NUMBER;...} or @file")
		}
		text = p.Type + ":" + text
	}
	return abandonable(j.ctx, func() (*value.Value, error) { return value.Parse(text, dir) })
}

// packed gives CUDA's vectors of three components, which have the size of three, Metal's name for
// such vectors.
func packed(parameters []compute.Parameter) []compute.Parameter {
	for i := range parameters {
		p := &parameters[i]
		if t, err := value.ParseType(p.Type); err == nil && p.Kind == compute.BufferParameter && t.Lanes == 3 &&
			int(p.Size) == 3*t.Scalar.Size() && !t.Packed {
			p.Type = "packed_" + p.Type
		}
	}
	return parameters
}

// share reads the values of [buffers].
func (j *job) share() error {
	for _, o := range j.plan.buffers {
		name, text, _ := strings.Cut(o.text, "=")
		v, err := abandonable(j.ctx, func() (*value.Value, error) { return value.Parse(text, o.dir) })
		if err != nil {
			return fmt.Errorf("%v: %w", o, err)
		}
		j.shared = append(j.shared, &memory{from: o, name: name, value: v, seed: *j.cmd.Seed + j.seeds})
		j.seeds++
	}
	for _, o := range j.plan.formats {
		key, _, err := assignment(o, "NAME=FORMAT")
		if err != nil {
			return err
		}
		at := slices.IndexFunc(j.shared, func(m *memory) bool { return m.name == key })
		if at < 0 {
			return usage("%v: %s", o, noBuffer(j.plan.buffers, key))
		}
		j.shared[at].chosen = o
	}
	return nil
}

// assignment splits KEY=VALUE.
func assignment(o option, want string) (key, val string, err error) {
	key, val, ok := strings.Cut(o.text, "=")
	if !ok || val == "" {
		return "", "", usage("%s %q; want %s", o.origin, o.text, want)
	}
	return key, val, nil
}

// find returns the parameter that a key names. A key is a name, a kind with an index, such as
// texture0, or an index alone, which prefers a buffer.
func find(parameters []compute.Parameter, key string, kinds ...compute.ParameterKind) (int, error) {
	var names, words []string
	for _, kind := range kinds {
		index, numeric := strconv.ParseUint(strings.TrimPrefix(key, kindWord(kind)), 10, 32)
		for i := range parameters {
			p := &parameters[i]
			if p.Kind != kind {
				continue
			}
			if numeric == nil && uint64(p.Index) == index || p.Name == key {
				return i, nil
			}
			names, words = append(names, p.String()), append(words, p.Name)
		}
	}
	if len(names) == 0 {
		return 0, fmt.Errorf("the kernel takes no %v", kinds[0])
	}
	text := "the kernel has no such argument; it has " + strings.Join(names, ", ")
	if near := diag.Suggest(key, slices.Values(words)); near != "" {
		text += fmt.Sprintf("; did you mean %s?", near)
	}
	return 0, errors.New(text)
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
		_, _, err := textureShape(p, v)
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
		return &usageError{fmt.Errorf("%v: %s is not a multiple of the %d bytes of a %s", p, v.Describe(), p.Size,
			p.Type)}
	}
	if uint(v.Size()) < p.Size {
		return &usageError{fmt.Errorf("%v: the value has %d bytes, but the kernel reads at least one %s of %d", p,
			v.Size(), p.Type, p.Size)}
	}
	return nil
}

// hint suggests values for a missing argument.
func hint(s *step, p *compute.Parameter) string {
	use := func(value string) string { return "use " + s.entry("--arg", "args", value) }
	access := map[mtl.BindingAccess]string{mtl.BindingAccessReadOnly: "reads", mtl.BindingAccessWriteOnly: "writes",
		mtl.BindingAccessReadWrite: "reads and writes"}[p.Access]
	switch p.Kind {
	case compute.BufferParameter:
		if _, err := value.ParseType(p.Type); err == nil {
			return fmt.Sprintf("the kernel %s %s; %s, %s:..., or @file.npy", access, p.Type,
				use(fmt.Sprintf("%d=zeros:%s[N]", p.Index, p.Type)), p.Type)
		}
		return fmt.Sprintf("the kernel %s a %s of %d bytes; %s or @file.npy", access, p.Type, p.Size,
			use(fmt.Sprintf("%d={TYPE:NUMBER;...}", p.Index)))
	case compute.TextureParameter:
		k, ok := kindOf(p)
		if !ok {
			return fmt.Sprintf("the kernel %s %s, which puremetal run does not support", access, k.metal)
		}
		first, others, _ := strings.Cut(k.values(p), " or ")
		text := fmt.Sprintf("the kernel %s %s; %s", access, k.metal, use(p.Name+"="+first))
		if others != "" {
			text += " or " + others
		}
		return text
	case compute.ThreadgroupParameter:
		return "use " + s.entry("--threadgroup-memory", "threadgroup-memory", fmt.Sprintf("%d=BYTES", p.Index))
	}
	return "puremetal run does not support function tables, acceleration structures and tensors"
}

// place copies a value to device memory, as its first parameter needs it.
func (j *job) place(m *memory) error {
	if m.first.Kind == compute.TextureParameter {
		return j.texture(m)
	}
	b, err := compute.NewBuffer[byte](j.acc, m.value.Size(), compute.BufferOptions{Label: m.name})
	if err != nil {
		return err
	}
	m.buffer = b
	j.placed = append(j.placed, m)
	data, err := b.Data()
	if err != nil { // a GPU with dedicated memory
		data = make([]byte, m.value.Size())
		m.value.Fill(data, m.seed)
		return b.Upload(j.ctx, data)
	}
	m.value.Fill(data, m.seed)
	return nil
}

// threads returns the launch size of --grid and --group.
func (s *step) threads() (t compute.Threads, err error) {
	if s.grid.text == "" {
		example := "--grid 1024 or --grid 640,480"
		if s.at != "" {
			example = "grid = [1024] or grid = [640, 480]"
		}
		return t, s.missing("grid", "; give the number of threads, such as %s", example)
	}
	if t.Grid, err = extent(s.grid); err == nil && s.group.text != "" {
		t.Group, err = extent(s.group)
	}
	return t, err
}

// extent parses X, X,Y or X,Y,Z.
func extent(o option) (compute.Extent, error) {
	e := compute.Extent{X: 1, Y: 1, Z: 1}
	parts := strings.Split(o.text, ",")
	if len(parts) > 3 {
		return e, usage("%s %q has %d numbers; want X, X,Y or X,Y,Z", o.origin, o.text, len(parts))
	}
	for i, to := range []*int{&e.X, &e.Y, &e.Z}[:len(parts)] {
		n, err := strconv.Atoi(strings.TrimSpace(parts[i]))
		if err != nil || n < 1 {
			return e, usage("%s %q: %q is not a number of threads; want positive integers", o.origin, o.text, parts[i])
		}
		*to = n
	}
	return e, nil
}

// defines returns the macros of -D flags. A name without a value is defined as 1.
func defines(flags []option) (map[string]string, error) {
	out := make(map[string]string, len(flags))
	for _, o := range flags {
		name, val, ok := strings.Cut(o.text, "=")
		if !ok {
			val = "1"
		}
		if !identifier(name) {
			return nil, usage("%s %q: %q is not a valid macro name", o.origin, o.text, name)
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
