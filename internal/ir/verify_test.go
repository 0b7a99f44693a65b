package ir

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const header = `file "a.metal"
global "g" align 4 "00000000"
kernel "k" {
  arg {"kind":"buffer","index":0}
  arg {"kind":"buffer","index":1,"space":"constant"}
  arg {"kind":"texture","texture":"tex.2d.f32.read"}
  arg {"kind":"texture","texture":"tex.2d.f32.write"}
  arg {"kind":"texture","texture":"tex.2d.f32.sample","count":2}
  arg {"kind":"sampler"}
  constant {"name":"c","index":0,"type":"f32x2"}
  threadgroup {"size":4}
  sampler {"minLinear":true}
  inlined "f" @1:9:9
  body {
    %0 = arg #0 : ptr.device
    %1 = arg #1 : ptr.constant
    %2 = const 1 : i32
    %3 = const 1 : f32
    %4 = const [1, 2] : f32x2
    %5 = const true : i1
    %6 = const 1 : i64
    %7 = const [1, 2] : i32x2
`

// TestRejected: invalid bodies and their errors.
func TestRejected(t *testing.T) {
	tests := []struct{ body, want string }{
		{"return", ""},
		{"", "the region does not end with a terminator"},
		{"return return", "instruction 8 (return): a terminator precedes the end of its region"},
		{"%9 = add %2, %3 : i32 @1:5:7 return", "instruction 8 (add): operand 1 has type f32, want i32 (a.metal:5:7)"},
		{"%9 = add %2, %2 : i64 return", "result 0 has type i64, want i32"},
		{"%9 = add %2 : i32 return", "has 1 operands, want 2"},
		{"%9 = add %3, %3 : f32 return", "operand 0 has type f32, want int"},
		{"%9 = fadd %2, %2 : i32 return", "operand 0 has type i32, want float"},
		{"add %2, %2 return", "has 0 results, want 1"},
		{"%9 = flt %4, %4 : i1 return", "result 0 has type i1, want i1x2"},
		{"%9 = ldexp %4, %2 : f32x2 return", "operand 1 has type i32, want i32x2"},
		{"%9 = const 1 : void return", "want a type"},
		{"%9 = const [1, 2] : i32 return", "a scalar constant has a list of lanes"},
		{"%9 = const 1 : i32x2 return", "has 0 lanes, want 2"},
		{"%9 = trunc %2 : i64 return", "does not convert i32 to i64"},
		{"%9 = zext %6 : i32 return", "does not convert i64 to i32"},
		{"%9 = sext %7 : i64 return", "want int with as many lanes as i32x2"},
		{"%9 = fconv %3 : f32 return", "does not convert f32 to f32"},
		{"%9 = bitcast %2 : i64 return", "does not convert i32 to i64"},
		{"%9 = bitcast %2 : f32 return", ""},
		{"%9 = select %5, %2, %3 : i32 return", "operand 2 has type f32, want i32"},
		{"%9 = select %2, %2, %2 : i32 return", "operand 0 has type i32, want bool"},
		{"%9 = build %2, %3 : i32x2 return", "operand 1 has type f32, want i32"},
		{"%9 = build %2 : i32x2 return", "has 1 operands, want 2"},
		{"%9 = splat %2 : f32x2 return", "does not convert i32 to f32x2"},
		{"%9 = extract %4 #2 : f32 return", "lane 2 is not one of 2"},
		{"%9 = swizzle %4, %4 [0, 4] : f32x2 return", "place 4 is not one of 4 lanes"},
		{"%9 = swizzle %4, %7 [0, 1] : f32x2 return", "differ in kind"},
		{"%9 = swizzle %4, %4 [0] : f32x2 return", "has 1 places, want 2"},
		{"store %1, %2 return", "operand 0 has type ptr.constant, want ptr!"},
		{"%9 = atomic.add %0, %3 : f32 return", "operand 1 has type f32, want int1"},
		{"%9 = alloca #4 : ptr.thread %10 = atomic.add %9, %2 : i32 return", "an atomic in the thread space"},
		{"%9 = atomic.load %0 release : i32 return", "memory order release does not apply"},
		{"%9 = atomic.load %0 : f16 return", "there are no atomics of type f16"},
		{"%9 = add %2, %2 acquire : i32 return", "memory order acquire does not apply"},
		{"%9 = add %2, %2 fast : i32 return", "flags 0x1 do not apply"},
		{"%9 = add %2, %2 #3 : i32 return", "has a constant, which it does not use"},
		{"%9 = add %2, %2 mem.device : i32 return", "memory mask 0x1 does not apply"},
		{"%9 = alloca #-1 : ptr.thread return", "-1 bytes are not 0 to 16777216"},
		{"copy %0, %1 #-1 return", "-1 bytes are not 0 to 2^32"},
		{"%9 = arg #9 : ptr.device return", "argument 9 is not one of 6"},
		{"%9 = arg #0 : ptr.constant return", "result 0 has type ptr.constant, want ptr.device"},
		{"%9 = arg %2 #0 : ptr.device return", "the argument is not an array"},
		{"%9 = arg %2 #4 : tex.2d.f32.sample return", ""},
		{"%9 = arg %6 #4 : tex.2d.f32.sample return", "operand 0 has type i64, want i32"},
		{"%9 = fconst #0 : f32 return", "result 0 has type f32, want f32x2"},
		{"%9 = fconst #1 : f32 return", "function constant 1 is not one of 1"},
		{"%9 = global #1 : ptr.constant return", "global 1 is not one of 1"},
		{"%9 = shared #1 : ptr.threadgroup return", "threadgroup variable 1 is not one of 1"},
		{"%9 = sampler #1 : sampler return", "sampler 1 is not one of 1"},
		{"%9 = input thread_position_in_grid : i32 return", "result 0 has type i32, want i32x3"},
		{"%9 = input #99 : i32 return", "input 99 is not one of"},
		{"%9 = load %0 : mat.f32 return", "type mat.f32 is never in memory"},
		{"%9 = mat.fill %2 : mat.f32 return", "operand 0 has type i32, want float1"},
		{"%9 = mat.fill %3 : mat.f16 return", "operand 0 has type f32, want f16"},
		{"%9 = arg #3 : tex.2d.f32.write %10 = tex.read %9, %7, %2, %2 : f32x4 return",
			"reads a texture of type tex.2d.f32.write"},
		{"%9 = arg #2 : tex.2d.f32.read %10 = tex.read %9, %2, %2, %2 : f32x4 return", "operand 1 has type i32, want i32x2"},
		{"%9 = arg #2 : tex.2d.f32.read %10 = sampler : sampler %11 = tex.sample %9, %10, %4, %2, %3, %7 : f32x4 return",
			"samples a texture of type tex.2d.f32.read"},
		{"%9 = arg %2 #4 : tex.2d.f32.sample %10 = sampler : sampler %11 = tex.compare %9, %10, %4, %2, %3, %3, %7 : f32 return", "compares depths"},
		{"%9 = arg %2 #4 : tex.2d.f32.sample %10 = sampler : sampler %11 = tex.gather %9, %10, %4, %2, %7 #4 : f32x4 return",
			"component 4 is not one of 4"},
		{"yield", "ends the function's body"},
		{"if %5 { yield } else { yield %2 } return", "has 1 operands, want 0 for the results of the if around"},
		{"%9 = if %5 : i32 { yield %2 } else { yield %3 } return",
			"operand 0 has type f32, want i32 for the results of the if around"},
		{"if %2 { yield } else { yield } return", "operand 0 has type i32, want i1"},
		{"loop ^0 { yield } return", "ends a loop's region"},
		{"loop ^0 (%9 : i64 = %2) { break ^0 } return", "operand 0 has type i32, want i64 for the parameters of its region"},
		{"loop ^0 (%9 : i32 = %2) { continue ^0 } return", "has 0 operands, want 1 for the parameters of its target"},
		{"%9 = loop ^0 : f32 { break ^0 %2 } return", "operand 0 has type i32, want f32 for the results of its target"},
		{"block ^0 { continue ^0 } return", "its target is not a loop"},
		{"loop ^0 { } return", "a region is empty"},
		{`print %2, %2, %4, %3, %6 fault "%d %v2f %g %p" return`, ""},
		{`print %2 "text" return`, "level 0 is not from 1 to 5"},
		{`print %2 #6 "text" return`, "level 6 is not from 1 to 5"},
		{`print debug "text" return`, "the first operand is not a log handle, an i32"},
		{`print %3 debug "text" return`, "the first operand is not a log handle, an i32"},
		{`print %2 info "%d" return`, `there is no operand for "%d"`},
		{`print %2, %2 info "%%d" return`, "has 1 operands more than the format has conversions"},
		{`print %2, %3 info "%5.1d" return`, `operand 1 has type f32, which "%5.1d" does not accept`},
		{`print %2, %2 info "%f" return`, `operand 1 has type i32, which "%f" does not accept`},
		{`print %2, %4 info "%v3f" return`, `operand 1 has type f32x2, which "%v3f" does not accept`},
		{`print %2, %6 info "%s" return`, `"%s" is not a valid conversion`},
		{`print %2, %2 info "%1025d" return`, `"%1025d" is not a valid conversion`},
		{`print %2, %2 info "%" return`, `"%" is not a valid conversion`},
		{"%9 = add %2, %2 : i32 @2:1:1 return", "source file 2 is not one of the module's 1"},
		{"%9 = add %2, %2 : i32 @1:1:1~2 return", "inlined call 2 is not one of the function's 1"},
	}
	for _, test := range tests {
		t.Run(test.body, func(t *testing.T) {
			m, err := Parse(header + test.body + "\n}\n}\n")
			if err == nil {
				err = m.Verify()
				var v *VerifyError
				require.True(t, err == nil || errors.As(err, &v))
			}
			if test.want == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, test.want)
			}
		})
	}
}

// TestSyntax: texts that are not modules, and the positions of their errors.
func TestSyntax(t *testing.T) {
	for text, want := range map[string]string{
		"kernel":                 "line 1: want a string, have the end of the text",
		"\nfoo":                  `line 2: want file, global, visible, log or kernel, have "foo"`,
		`kernel "k" {`:           "want attributes",
		`kernel "k" { x`:         "want attributes",
		`file "a`:                "unterminated string",
		`global "g" align 4 "0"`: "not hexadecimal",
		`kernel "k" { arg {"knd":1} body { return } }`:              "unknown field",
		`kernel "k" { arg [] body { return } }`:                     "want a JSON object",
		`kernel "k" { body { frob } }`:                              `unknown operation "frob"`,
		`kernel "k" { body { %0 = const x : i32 } }`:                `"x" is not a constant of type i32`,
		`kernel "k" { body { %0 = const 300 : i8 } }`:               `"300" is not a constant of type i8`,
		`kernel "k" { body { %0 = const nan : f32 } }`:              `"nan" is not a constant of type f32`,
		`kernel "k" { body { %0 = neg %1 : i32 } }`:                 "%1 is not defined here",
		`kernel "k" { body { %0 = const 1 : i32 %0 = const 1 : i32`: "%0 is defined twice",
		`kernel "k" { body { break ^1 } }`:                          "no enclosing loop or block is ^1",
		`kernel "k" { body { %0 = const 1 : i33 } }`:                "want a type",
		`kernel "k" { body { %0 = const true : i1 if %0 { %1 = const 1 : i8 yield } else { yield } %2 = neg %1 : i8 return } }`: "%1 is not defined here",
		`kernel "k" { body { loop ^1 { loop ^1 { break ^1 } break ^1 } return } }`:                                              "^1 is already used by an enclosing loop or block",
		`kernel "k" { body { ` + strings.Repeat("block ^0 { ",
			300): "",
	} {
		_, err := Parse(text)
		require.Error(t, err, text)
		assert.ErrorContains(t, err, want, text)
		var s *SyntaxError
		assert.ErrorAs(t, err, &s)
	}
	var deep strings.Builder
	for i := range 300 {
		deep.WriteString("block ^" + string(rune('0'+i%10)) + string(rune('0'+i/10%10)) + string(rune('0'+i/100)) + " { ")
	}
	_, err := Parse(`kernel "k" { body { ` + deep.String())
	assert.ErrorContains(t, err, "regions nest deeper than 256")
}

// TestRejectedByHand: errors that no text can express.
func TestRejectedByHand(t *testing.T) {
	build := func(change func(f *Func, b *Builder)) error {
		m := &Module{}
		f := m.NewFunc("k")
		b := NewBuilder(f)
		change(f, b)
		b.Return()
		return m.Verify()
	}
	assert.NoError(t, build(func(*Func, *Builder) {}))
	assert.ErrorContains(t, build(func(f *Func, b *Builder) {
		v := b.Int(TI32, 1)
		f.Body.Instrs = append(f.Body.Instrs, v.Def)
	}), "result 0 is defined twice")
	assert.ErrorContains(t, build(func(f *Func, b *Builder) {
		f.Body.Instrs = append(f.Body.Instrs, b.Barrier(OpBarrier, 0, 0))
	}), "occurs in two places")
	assert.ErrorContains(t, build(func(f *Func, b *Builder) { b.Int(TI32, 1).ID = 7 }), "has ID 7")
	assert.ErrorContains(t, build(func(f *Func, b *Builder) {
		in := b.Block()
		in.Regions[0].Instrs = append(in.Regions[0].Instrs, in)
	}), "another region as its parent")
	assert.ErrorContains(t, build(func(f *Func, b *Builder) {
		in := b.If(b.Bool(true))
		in.Regions[1] = in.Regions[0]
	}), "a region occurs in two places")
	assert.ErrorContains(t, build(func(f *Func, b *Builder) { b.Op(OpAdd, nil, nil) }), "operand 0 is missing")
	assert.ErrorContains(t, build(func(f *Func, b *Builder) {
		v := b.Int(TI32, 1)
		in := b.If(b.Bool(true))
		b.In(in.Regions[0], func() { v = b.Op(OpNeg, v); b.Yield() })
		b.In(in.Regions[1], func() { b.Op(OpNeg, v); b.Yield() })
	}), "operand 0 is not defined here")
	assert.ErrorContains(t, build(func(f *Func, b *Builder) {
		in := b.Block()
		in.Regions[0].Owner = nil
		b.In(in.Regions[0], func() { b.Yield() })
	}), "has another owner")
	assert.ErrorContains(t, build(func(f *Func, b *Builder) { b.Break(f.newBlock()) }),
		"its target is not an enclosing loop or block")
	assert.ErrorContains(t, build(func(f *Func, b *Builder) { f.Body.Instrs = append(f.Body.Instrs, nil) }),
		"an instruction is missing")
	assert.ErrorContains(t, build(func(f *Func, b *Builder) { f.Name = "" }), "has no name")
	assert.ErrorContains(t, build(func(f *Func, b *Builder) { f.Args = []Arg{{Kind: "bufer"}} }), `kind "bufer"`)
	assert.ErrorContains(t, build(func(f *Func, b *Builder) { f.Args = []Arg{{Kind: ArgBuffer, Condition: "c"}} }),
		`condition "c" is not a function constant`)
	assert.ErrorContains(t, build(func(f *Func, b *Builder) { f.Samplers = []SamplerState{{Mip: "cubic"}} }),
		"sampler 0 has an invalid word")
	assert.ErrorContains(t, build(func(f *Func, b *Builder) { f.Inlined = []Inline{{At: Loc{Scope: 1}}} }),
		"inlined call 0")
	m := &Module{Funcs: []*Func{nil}, Globals: []*Global{nil, {Align: 3}}}
	m.NewFunc("a").Body = nil
	m.NewFunc("a")
	for _, want := range []string{"function 0 is missing", "global 0 is missing", "alignment 3", `two kernels "a"`,
		"has no body", "a region is empty"} {
		assert.ErrorContains(t, m.Verify(), want)
	}
}

// TestManyErrors: once the limit of errors is reached within an instruction, it is not examined
// further.
func TestManyErrors(t *testing.T) {
	for n := range 2 * maxVerifyErrors {
		m := &Module{}
		f := m.NewFunc("k")
		for range n { // each lacks its result, and the last is not a terminator
			f.Body.Instrs = append(f.Body.Instrs, &Instr{Op: OpConst, Parent: f.Body})
		}
		require.Error(t, m.Verify(), n)
		require.LessOrEqual(t, strings.Count(m.Verify().Error(), "\n"), maxVerifyErrors)
	}
}

func (f *Func) newBlock() *Instr {
	in := f.slab.instr()
	in.Op = OpBlock
	return in
}

// TestDeadCode: instructions built after a terminator are dropped.
func TestDeadCode(t *testing.T) {
	m := &Module{}
	b := NewBuilder(m.NewFunc("k"))
	b.Return()
	assert.True(t, b.Terminated())
	in := b.If(b.Bool(true), TI32)
	b.In(in.Regions[0], func() { b.Yield(b.Int(TI32, 1)) })
	b.In(in.Regions[1], func() { b.Return() })
	b.Op(OpNeg, in.Results[0])
	b.Return()
	require.NoError(t, m.Verify())
	assert.Len(t, m.Funcs[0].Body.Instrs, 1)
}

// TestTable checks the invariants of the table of operations.
func TestTable(t *testing.T) {
	names := map[string]bool{}
	for op := OpInvalid + 1; op < numOps; op++ {
		info := op.Info()
		assert.NotEmpty(t, info.Doc, op)
		assert.False(t, names[info.Name], "two operations are called %q", info.Name)
		names[info.Name] = true
		assert.Equal(t, op, OpByName(info.Name))
		assert.Contains(t, info.Sig, "->", op)
		if info.Has(Pure) {
			assert.Zero(t, info.Flags&(Convergent|ReadsMemory|WritesMemory|Atomic|Terminator), op)
		}
		if info.Has(Lanewise) {
			assert.True(t, info.Has(Pure), op)
		}
		sig := &signatures()[op]
		for i, terms := range [][]term{sig.args, sig.results} {
			for _, tm := range terms {
				if tm.ref >= 0 {
					assert.Less(t, tm.ref, len(sig.args), op)
				}
				known := tm.word == "" || tm.exact != TVoid ||
					strings.Contains(" int float num bool bits data vec equatable any ptr ptr! handle tex sampler mat int1 float1 num1 data1 i1 i32 elem lane texel pos texval ", " "+tm.word+" ")
				assert.True(t, known, "%v: %d: word %q", op, i, tm.word)
			}
		}
	}
	for _, text := range []string{"i1", "i8x2", "f16", "bf16x4", "ptr.thread", "mat.bf16", "tex.depth2d_ms_array.f32.read",
		"tex.cube.i16.sample", "sampler"} {
		ty, err := ParseType(text)
		require.NoError(t, err)
		assert.True(t, ty.Valid())
		assert.Equal(t, text, ty.String())
	}
	for _, text := range []string{"", "i1x1", "i32x5", "ptr", "ptr.none", "mat.i32", "tex.2d.i8.read", "tex.2d.f32.none",
		"tex.none.f32.read", "void", "i32.x"} {
		_, err := ParseType(text)
		assert.Error(t, err, text)
	}
}
