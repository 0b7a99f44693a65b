package profile

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/observe"
)

// overlapping is a profile of everything that a trace has, with command buffers that overlap.
func overlapping(t *testing.T) *Profile {
	s := newScript(t, Options{})
	ctx, _ := (*compute.Accelerator)(nil).Operation(context.Background(), "op")
	id, _ := compute.OperationOf(ctx)
	s.OperationStart(observe.OperationEvent{Ctx: ctx, At: s.ms(0), ID: id})
	s.launch(ctx, 1, 1, "a", 1)
	s.launch(ctx, 1, 2, "a", 2)
	s.launch(ctx, 1, 3, "b", 3)
	s.run(bufferID(1, 1, 1, 1), 10, 10, 20, 20)
	s.run(bufferID(1, 2, 2, 2), 12, 15, 25, 25)
	s.run(bufferID(1, 3, 3, 3), 14, 25, 30, 31)
	s.Compile(observe.CompileEvent{Ctx: ctx, Program: "p.metal", Start: s.ms(4), Took: ms, Err: errors.New("no \"x\"")})
	s.Cache(observe.CacheEvent{Program: "p.metal"})
	s.Transfer(observe.TransferEvent{Ctx: ctx, Start: s.ms(5), Took: ms, Bytes: 1e6, Upload: true})
	s.Rent(observe.RentEvent{At: s.ms(6), Bytes: 500, Allocated: 500})
	s.Recover(observe.RecoverEvent{Ctx: ctx, At: s.ms(7), Kind: observe.RecoveryRetry, What: "a"})
	s.OperationEnd(observe.OperationEvent{Ctx: ctx, At: s.ms(8), ID: id})
	return s.stop(50)
}

// TestTrace checks a trace by the rules of the format: which members each kind of event needs,
// slices of a thread nest, asynchronous events and arrows begin and end.
func TestTrace(t *testing.T) {
	p := overlapping(t)
	var b strings.Builder
	require.NoError(t, p.WriteTrace(&b))
	var file struct {
		DisplayTimeUnit string
		TraceEvents     []map[string]any
	}
	require.NoError(t, json.Unmarshal([]byte(b.String()), &file))
	assert.Equal(t, "ns", file.DisplayTimeUnit)
	type key struct{ process, thread float64 }
	ends := map[key][]float64{}
	balance := map[string]int{}
	kinds, categories, threads := map[string]int{}, map[string]int{}, map[key]string{}
	for _, e := range file.TraceEvents {
		phase, _ := e["ph"].(string)
		kinds[phase]++
		category, _ := e["cat"].(string)
		categories[category+" "+phase]++
		require.IsType(t, "", e["name"])
		require.IsType(t, 0.0, e["pid"])
		require.IsType(t, 0.0, e["tid"])
		require.IsType(t, 0.0, e["ts"])
		at, k := e["ts"].(float64), key{e["pid"].(float64), e["tid"].(float64)}
		switch phase {
		case "M":
			args, _ := e["args"].(map[string]any)
			if e["name"] == "thread_name" {
				assert.Empty(t, threads[k], "named once")
				threads[k], _ = args["name"].(string)
			}
		case "X":
			assert.NotEmpty(t, threads[k])
			d, ok := e["dur"].(float64)
			require.True(t, ok)
			require.GreaterOrEqual(t, d, 0.0)
			for n := len(ends[k]); n > 0 && ends[k][n-1] <= at; n = len(ends[k]) {
				ends[k] = ends[k][:n-1]
			}
			if n := len(ends[k]); n > 0 {
				assert.LessOrEqual(t, at+d, ends[k][n-1]+1e-6, "%v is inside the slice before", e)
			}
			ends[k] = append(ends[k], at+d)
		case "b", "e", "s", "f":
			require.IsType(t, "", e["id"])
			require.NotEmpty(t, category)
			step := map[string]int{"b": 1, "s": 1, "e": -1, "f": -1}[phase]
			id := category + e["id"].(string)
			balance[id] += step
			assert.GreaterOrEqual(t, balance[id], 0, "begins before it ends")
			if phase == "f" {
				assert.Equal(t, "e", e["bp"])
			}
		case "C":
			assert.Equal(t, map[string]any{"bytes": 500.0}, e["args"])
		case "i":
			assert.Equal(t, "g", e["s"])
		default:
			t.Errorf("an event of the kind %q", phase)
		}
	}
	for id, n := range balance {
		assert.Zero(t, n, id)
	}
	for category, want := range map[string]int{"call X": 3, "encode X": 3, "execute X": 3, "command X": 3, "compile X": 1,
		"cache X": 1, "transfer X": 1, "memory C": 1, "recovery i": 1, "operation b": 1, "flow s": 3, "flow f": 3,
		"queue b": 2} {
		assert.Equal(t, want, categories[category], category)
	}
	var device []string
	for k, name := range threads {
		if k.process == traceDevice {
			device = append(device, name)
		}
	}
	assert.ElementsMatch(t, []string{"stream s (1)", "stream s (1) (2)"}, device, "two tracks, because buffers overlap")

	back, err := ReadTrace(strings.NewReader(b.String()))
	require.NoError(t, err)
	var one, two strings.Builder
	require.NoError(t, p.WriteText(&one))
	require.NoError(t, back.WriteText(&two))
	assert.Equal(t, one.String(), two.String())
}

func TestReadTrace(t *testing.T) {
	for text, want := range map[string]string{
		"":                   "not a trace",
		`{"traceEvents":[]}`: "another program wrote it",
		`{"puremetalProfile":{"commands":[{"buffer":1}]}}`: "command 0 has the command buffer 1 of 0",
	} {
		_, err := ReadTrace(strings.NewReader(text))
		require.ErrorContains(t, err, want)
	}
}

// TestWriteErrors: an error of the writer is returned.
func TestWriteErrors(t *testing.T) {
	p, failed := overlapping(t), errors.New("full")
	for _, write := range []func(*Profile) error{
		func(p *Profile) error { return p.WriteTrace(failing{failed}) },
		func(p *Profile) error { return p.WriteText(failing{failed}) },
		func(p *Profile) error { return p.WriteJSON(failing{failed}) },
		func(p *Profile) error { return p.WritePprof(failing{failed}) },
	} {
		require.ErrorIs(t, write(p), failed)
	}
	_, err := ReadTrace(iotest.ErrReader(failed))
	require.ErrorIs(t, err, failed)
}

// failing is a writer that fails.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// TestHostileTrace: a short text cannot become a large profile, and what is no event is refused at
// once.
func TestHostileTrace(t *testing.T) {
	read := func(text string, events int) error {
		r := traceReader{json.NewDecoder(strings.NewReader(text)), events}
		_, err := r.file()
		return err
	}
	for text, want := range map[string]string{
		`{"puremetalProfile":{"commands":[{},{}],"memory":[{},{}]}}`: "a trace may have at most",
		`{"puremetalProfile":{"commands":[0,0,0,0,0]}}`:              "cannot unmarshal number",
		`{"puremetalProfile":{"commands":{}}}`:                       "{ instead of a list",
		`{"puremetalProfile":7}`:                                     "7 instead of {",
		`[]`:                                                         "[ instead of {",
		`{"traceEvents":[{}`:                                         "EOF",
	} {
		require.ErrorContains(t, read(text, 3), want, text)
	}
	require.NoError(t, read(`{"other":[1],"traceEvents":null,"puremetalProfile":{"commands":null,"memory":[{}],"x":1}}`,
		1))
	_, err := ReadTrace(strings.NewReader(strings.Repeat("[", 1<<20)))
	require.Error(t, err)
}
