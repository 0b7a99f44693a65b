package ref

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/test/irtest"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// program is a text in testdata/ir with the launch specified by its comments:
//
//	launch [grid=x,y,z] [group=x,y,z] [fuel=n] [tg<slot>=bytes] [const<index>=hex] [resident=<number>:hex]
//	buffer <slot>: [readonly] <kind> <literals> | zero <bytes>
//	want <slot>: <kind> <literals>
//	error: <part of the message>
type program struct {
	launch testlaunch.Launch
	want   map[int]string
	err    string
}

func ints3(t *testing.T, s string) (v [3]int) {
	for i, part := range strings.Split(s, ",") {
		n, err := strconv.Atoi(part)
		require.NoError(t, err)
		v[i] = n
	}
	return v
}

// memoryOf parses literals of a kind and returns their memory representation.
func memoryOf(t *testing.T, s string) []byte {
	words := strings.Fields(s)
	if words[0] == "zero" {
		n, err := strconv.Atoi(words[1])
		require.NoError(t, err)
		return make([]byte, n)
	}
	var out []byte
	for _, lit := range words[1:] {
		typ, lanes := wantLanes(t, words[0], lit)
		b := make([]byte, typ.Kind.Size())
		putBits(typ.Kind, b, lanes[0])
		out = append(out, b...)
	}
	return out
}

func parseProgram(t *testing.T, text string) *program {
	p := &program{want: map[int]string{}, launch: testlaunch.Launch{Buffers: map[int]testlaunch.Buffer{},
		ThreadgroupMemory: map[int]int{}, Constants: map[int][]byte{}, Resident: map[uint32][]byte{}}}
	for line := range strings.Lines(text) {
		line, ok := strings.CutPrefix(strings.TrimSpace(line), "// ")
		if !ok {
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "launch":
			for _, f := range strings.Fields(rest) {
				key, val, _ := strings.Cut(f, "=")
				word := strings.TrimRight(key, "0123456789")
				number := func(s string) int {
					n, err := strconv.Atoi(s)
					require.NoError(t, err, f)
					return n
				}
				data := func(s string) []byte {
					b, err := hex.DecodeString(s)
					require.NoError(t, err, f)
					return b
				}
				switch word {
				case "grid":
					p.launch.Grid = ints3(t, val)
				case "group":
					p.launch.Group = ints3(t, val)
				case "fuel":
					p.launch.Fuel = int64(number(val))
				case "tg":
					p.launch.ThreadgroupMemory[number(key[len(word):])] = number(val)
				case "const":
					p.launch.Constants[number(key[len(word):])] = data(val)
				case "resident":
					id, h, _ := strings.Cut(val, ":")
					p.launch.Resident[uint32(number(id))] = data(h)
				default:
					t.Fatalf("unknown word %q", f)
				}
			}
		case "buffer", "want":
			at, vals, ok := strings.Cut(rest, ": ")
			require.True(t, ok, line)
			slot, err := strconv.Atoi(at)
			require.NoError(t, err)
			if word == "want" {
				p.want[slot] = vals
				continue
			}
			vals, readOnly := strings.CutPrefix(vals, "readonly ")
			p.launch.Buffers[slot] = testlaunch.Buffer{Data: memoryOf(t, vals), ReadOnly: readOnly}
		case "error:":
			p.err = rest
		}
	}
	require.True(t, len(p.want) > 0 || p.err != "", "the program says nothing of what it does")
	return p
}

func (p *program) check(t *testing.T) {
	for slot, want := range p.want {
		have, bytesWanted := p.launch.Buffers[slot].Data, memoryOf(t, want)
		if !bytes.Equal(have[:min(len(have), len(bytesWanted))], bytesWanted) {
			k, err := ir.ParseType(strings.Fields(want)[0])
			require.NoError(t, err)
			var got []string
			for i := 0; i+k.Size() <= len(have); i += k.Size() {
				got = append(got, show(k.Kind, getBits(k.Kind, have[i:])))
			}
			t.Errorf("buffer %d: have %v, want %s", slot, got, want)
		}
	}
}

// TestPrograms runs the kernels of testdata/ir.
func TestPrograms(t *testing.T) {
	files, err := filepath.Glob("../../../testdata/ir/*.ir")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			m, err := ir.Parse(string(text))
			require.NoError(t, err)
			// Printed and parsed again, it does the same.
			again, err := ir.Parse(m.String())
			require.NoError(t, err)
			for _, m := range []*ir.Module{m, again} {
				p := parseProgram(t, string(text))
				err := p.launch.Run(context.Background(), m.Funcs[0], Run)
				if p.err != "" {
					require.ErrorContains(t, err, p.err)
				} else {
					require.NoError(t, err)
					p.check(t)
				}
			}
			covered(m)
		})
	}
}

func TestContext(t *testing.T) {
	m, err := ir.Parse(`kernel "spin" { body { loop ^0 { continue ^0 } return } }`)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	assert.ErrorIs(t, testlaunch.Launch{}.Run(ctx, m.Funcs[0], Run), context.Canceled)
	assert.ErrorIs(t, testlaunch.Launch{Fuel: 10}.Run(context.Background(), m.Funcs[0], Run), exec.ErrFuel)
}

func TestInvalidLaunch(t *testing.T) {
	m, err := ir.Parse(`kernel "k" { constant {"name":"n","index":3,"type":"i32","required":true} body { return } }`)
	require.NoError(t, err)
	four := map[int][]byte{3: make([]byte, 4)}
	for _, l := range []testlaunch.Launch{
		{},
		{Constants: map[int][]byte{3: {1}}},
		{Constants: four, Group: [3]int{1025}},
		{Constants: four, Group: [3]int{64, 64, 1 << 40}},
		{Constants: four, Buffers: map[int]testlaunch.Buffer{0: {Offset: 1}}},
		{Constants: four, Resident: map[uint32][]byte{3: nil}},
		{Constants: four, ThreadgroupMemory: map[int]int{0: -1}},
		{Constants: four, ThreadgroupMemory: map[int]int{0: 1 << 40, 1: 1 << 62}},
	} {
		assert.ErrorIs(t, l.Run(context.Background(), m.Funcs[0], Run), exec.ErrLaunch, fmt.Sprint(l))
	}
	assert.NoError(t, testlaunch.Launch{Constants: four}.Run(context.Background(), m.Funcs[0], Run))
	m.Funcs[0].Body.Instrs = nil
	assert.ErrorContains(t, testlaunch.Launch{Constants: four}.Run(context.Background(), m.Funcs[0], Run),
		"a region is empty")
}

// FuzzRun: a text that is a valid kernel runs or fails, and does the same when printed and parsed
// again.
func FuzzRun(f *testing.F) {
	files, err := filepath.Glob("../../../testdata/ir/*.ir")
	require.NoError(f, err)
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(string(text))
	}
	for seed := range uint64(20) {
		f.Add(irtest.Kernel(rand.New(rand.NewPCG(seed, 5)), irtest.Config{Size: 15, Approx: true}).String())
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := ir.Parse(text)
		if err != nil || m.Verify() != nil || len(m.Funcs) == 0 {
			return
		}
		again, err := ir.Parse(m.String())
		require.NoError(t, err)
		var wrote [2][]byte
		var failed [2]bool
		for i, m := range []*ir.Module{m, again} {
			l := testlaunch.Launch{Grid: [3]int{10}, Group: [3]int{7}, Fuel: 1 << 24, Buffers: map[int]testlaunch.Buffer{},
				ThreadgroupMemory: map[int]int{0: 64},
				Textures:          map[int]*testlaunch.Texture{0: ramp(2)}, Samplers: map[int]ir.SamplerState{0: {MinLinear: true}}}
			wrote[i] = make([]byte, 3*128)
			for b := range 3 {
				l.Buffers[b] = testlaunch.Buffer{Data: wrote[i][128*b:][:128]}
			}
			failed[i] = l.Run(context.Background(), m.Funcs[0], Run) != nil
			_ = m.Funcs[0].VerifyConvergence()
		}
		assert.Equal(t, wrote[0], wrote[1])
		assert.Equal(t, failed[0], failed[1])
	})
}
