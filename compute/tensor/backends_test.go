package tensor_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/computetest"
	"github.com/puremetal/puremetal/compute/internal/backend"
	"github.com/puremetal/puremetal/compute/tensor"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sevens is a backend whose products are all 7, so that a test sees what computed them. It refuses
// matrices of one row.
type sevens struct {
	err    error
	closed int
}

func (b *sevens) Refuse(c *backend.Call) string {
	if _, ok := c.Spec.(backend.MatMul); !ok {
		return "has products only"
	}
	if c.In[0].Shape[0] == 1 {
		return "takes no row"
	}
	if c.Out[0].Type.Size() != 4 {
		return "takes 32 bits"
	}
	return ""
}

func (b *sevens) Run(ctx context.Context, s *compute.Stream, c *backend.Call) error {
	if b.err != nil {
		return b.err
	}
	raw := make([]byte, 4*c.Out[0].Elements())
	for i := 0; i < len(raw); i += 4 {
		copy(raw[i:], []byte{0, 0, 0xe0, 0x40})
	}
	return c.Out[0].Buffer.(*compute.Buffer[uint8]).Upload(ctx, raw)
}

func (b *sevens) Close() { b.closed++ }

func (b *sevens) maker(name string) backend.Maker {
	return backend.Maker{Name: name, Make: func(*compute.Accelerator) (backend.Backend, error) { return b, nil }}
}

// product returns an element of the product of matrices of n rows and n columns with elements 1.
func product(t *testing.T, s *tensor.Scope, n int) float64 {
	t.Helper()
	x := s.Full(tensor.Float32, 1, n, n)
	return values(t, s.MatMul(x, x))[0]
}

func TestForce(t *testing.T) {
	b := &sevens{}
	e, s := open(t, tensor.AddBackends(b.maker("seven")), tensor.WithBackend("seven"))
	assert.EqualValues(t, 7, product(t, s, 3))
	assert.EqualValues(t, 1, product(t, s, 1))
	s.Softmax(tensor.Of(s, []float32{1}), 0)
	require.NoError(t, s.Err())
	assert.Equal(t, []string{
		"full of float32, 2^0 operations, 2 calls: own, no other backend has the operation",
		"matmul of float32, 2^1 operations, 1 calls: own, seven, forced by WithBackend, refuses: takes no row",
		"matmul of float32, 2^5 operations, 1 calls: seven, forced by WithBackend",
		"softmax of float32, 2^2 operations, 1 calls: own, seven, forced by WithBackend, refuses: has products only",
	}, lines(e))
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("done", "choice", e.Explain()[2])
	assert.Contains(t, log.String(), `choice.op=matmul choice.type=float32 choice.log2=5 choice.backend=seven `+
		`choice.reason="forced by WithBackend" choice.calls=1`)

	// Errors name the backend, and the call is not counted.
	b.err = errors.New("broken")
	x := s.Full(tensor.Float32, 1, 3, 3)
	err := s.MatMul(x, x).Err()
	require.ErrorIs(t, err, b.err)
	assert.ErrorContains(t, err, "tensor: matmul of float32[3 3], float32[3 3] at backends_test.go:")
	assert.ErrorContains(t, err, "seven: broken")
	assert.EqualValues(t, 1, e.Explain()[2].Calls)
	s.Close()
	require.NoError(t, e.Close(t.Context()))
	require.NoError(t, e.Close(t.Context()))
	assert.Equal(t, 1, b.closed)
}

func lines(e *tensor.Engine) (all []string) {
	for _, c := range e.Explain() {
		all = append(all, c.String())
	}
	return all
}

// TestMissingBackend: one that the machine does not have is an error if it is forced, and else a
// reason.
func TestMissingBackend(t *testing.T) {
	gone := errors.New("no such framework")
	missing := tensor.AddBackends(backend.Maker{Name: "gone",
		Make: func(*compute.Accelerator) (backend.Backend, error) { return nil, gone }})
	_, err := tensor.New(computetest.Open(t), missing, tensor.WithBackend("gone"))
	require.ErrorIs(t, err, gone)
	assert.ErrorContains(t, err, `tensor: WithBackend: backend "gone": no such framework`)
	e, s := open(t, missing)
	assert.EqualValues(t, 3, product(t, s, 3))
	assert.Contains(t, lines(e)[1], "own, gone: the machine does not have it: no such framework")

	none, ns := open(t)
	product(t, ns, 3)
	assert.Contains(t, lines(none)[1], "own, the program adds no other backend")
	var nothing *tensor.Engine
	assert.Empty(t, nothing.Explain())
	assert.ErrorIs(t, nothing.Calibrate(t.Context()), compute.ErrNil)
}

// TestSameKernels: on the software device, a backend that would run the engine's own kernels is not
// run, forced or not, and not measured.
func TestSameKernels(t *testing.T) {
	b := &sevens{}
	m := b.maker("seven")
	m.SameOnSoftware = true
	for force, reason := range map[string]string{
		"seven": "seven, forced by WithBackend, has the same kernels on the software device",
		"":      "by rule: on the software device all backends run the same kernels",
	} {
		options := []tensor.Option{tensor.AddBackends(m)}
		if force != "" {
			options = append(options, tensor.WithBackend(force))
		}
		e, s := open(t, options...)
		if !e.Accelerator().Info().Software {
			t.Skip("a GPU")
		}
		assert.EqualValues(t, 3, product(t, s, 3))
		assert.Contains(t, lines(e)[1], "own, "+reason)
		b.err = errors.New("it ran")
		require.NoError(t, tensor.CalibrateUpTo(t.Context(), e, 1<<12))
	}
}

// TestCrossover: the times in the file decide, each for its sizes and up to the next; those of
// other devices and of operations that lack a backend do not.
func TestCrossover(t *testing.T) {
	b := &sevens{}
	device := computetest.Open(t).Info().String()
	file := filepath.Join(t.TempDir(), "crossover.json")
	write := func(text string) {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
	}
	quoted, err := json.Marshal(device)
	require.NoError(t, err)
	table := func(version int, device, times string) string {
		return fmt.Sprintf(`{"version": %d, "devices": {%s: {"gflops": 12, "gb_per_s": 34, "times": [%s]}}}`, version,
			device, times)
	}
	const times = `{"op": "matmul", "type": "float32", "log2": 6, "ns": {"own": 1000, "seven": 2000}},
		{"op": "matmul", "type": "float32", "log2": 10, "ns": {"own": 3000, "seven": 2000, "other": 1}},
		{"op": "matmul", "type": "float32", "log2": 15, "ns": {"own": 100000, "seven": 96000}},
		{"op": "matmul", "type": "float16", "log2": 10, "ns": {"own": 3000, "seven": 4000}}`
	write(table(1, string(quoted), times))
	e, s := open(t, tensor.AddBackends(b.maker("seven")), tensor.WithCrossover(file))
	for n, want := range map[int]float64{2: 2, 3: 3, 4: 4, 6: 6, 8: 7, 20: 7, 30: 30} {
		assert.Equal(t, want, product(t, s, n), "%d rows", n)
	}
	explained := strings.Join(lines(e), "\n")
	assert.Contains(t, explained, "2^8 operations, 1 calls: own, measured at 2^6 operations: own 1µs, seven 2µs")
	assert.Contains(t, explained, "2^10 operations, 1 calls: seven, measured at 2^10 operations: own 3µs, seven 2µs")
	assert.Contains(t, explained, "2^13 operations, 1 calls: seven, measured at 2^10 operations")
	assert.Contains(t, explained,
		"calls: own, measured at 2^15 operations: own 100µs, seven 96µs") // a twentieth is noise
	peak, err := e.MeasurePeak(t.Context())
	require.NoError(t, err)
	assert.Equal(t, tensor.Peak{GFLOPS: 12, GBs: 34}, peak)

	for _, text := range []string{
		table(2, string(quoted), times), table(1, `"another"`, times), `{"version": 1}`,
		table(1, string(quoted), `{"op": "matmul", "type": "float32", "log2": 6, "ns": {"own": 1000, "seven": 0}}`),
	} {
		write(text)
		e, s := open(t, tensor.AddBackends(b.maker("seven")), tensor.WithCrossover(file))
		assert.EqualValues(t, 3, product(t, s, 3), text)
		assert.Contains(t, lines(e)[1], "by rule", text)
	}
	for text, want := range map[string]string{
		`{"version": 1, "devices": {`: "unexpected end of JSON input; delete the file to measure again",
		table(1, string(quoted), `{"op": "matmul", "type": "float64", "log2": 6}`): "time 0 is of float64 2^6",
		table(1, string(quoted), `{"op": "matmul", "type": "int8", "log2": -1}`):   "time 0 is of int8 2^-1",
		strings.Repeat(" ", 1<<20) + "{}":                                          "may have at most 1048576 bytes",
	} {
		write(text)
		_, err := tensor.New(computetest.Open(t), tensor.WithCrossover(file))
		require.ErrorContains(t, err, want)
		assert.ErrorContains(t, err, file)
	}
	_, err = tensor.New(computetest.Open(t), tensor.WithCrossover(t.TempDir()))
	assert.Error(t, err)
	_, err = tensor.New(computetest.Open(t), tensor.WithCrossover(""))
	assert.ErrorIs(t, err, compute.ErrOption)
	_, err = tensor.New(computetest.Open(t), tensor.AddBackends((&sevens{}).maker(tensor.Own)))
	assert.ErrorIs(t, err, compute.ErrOption)
}

// TestCalibrate measures small operations, chooses by the times, and keeps them for the next
// engine, beside those of other devices.
func TestCalibrate(t *testing.T) {
	b := &sevens{}
	file := filepath.Join(t.TempDir(), "crossover.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"version": 1, "devices": {"another": {"times": []}}}`), 0o666))
	options := []tensor.Option{tensor.AddBackends(b.maker("seven")), tensor.WithCrossover(file),
		tensor.WithPeak(tensor.Peak{GFLOPS: 1, GBs: 2})}
	e, s := open(t, options...)
	require.NoError(t, tensor.CalibrateUpTo(t.Context(), e, 1<<19))
	assert.Empty(t, e.Explain())
	assert.Empty(t, e.Stats())
	product(t, s, 16)
	now := e.Explain()[1]
	assert.Equal(t, "matmul", now.Op)
	assert.Regexp(t, `^measured at 2\^13 operations: own .*s, seven .*s$`, now.Reason)
	assert.Contains(t, []string{"own", "seven"}, now.Backend)

	again, s := open(t, options...)
	product(t, s, 16)
	assert.Equal(t, now, again.Explain()[1])
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	for _, part := range []string{`"another"`, `"softmax"`, `"conv"`, `"float16"`, `"gflops": 1`} {
		assert.Contains(t, string(text), part)
	}
	left, err := os.ReadDir(filepath.Dir(file))
	require.NoError(t, err)
	assert.Len(t, left, 1, "no temporary files")

	b.err = errors.New("broken")
	err = tensor.CalibrateUpTo(t.Context(), e, 1<<19)
	require.ErrorIs(t, err, b.err)
	after, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.True(t, slices.Equal(text, after), "a failure leaves the file as it was")
}

// TestCalibrateOwn: without other backends, the file has the peak and no times.
func TestCalibrateOwn(t *testing.T) {
	file := filepath.Join(t.TempDir(), "crossover.json")
	e, _ := open(t, tensor.WithCrossover(file), tensor.WithPeak(tensor.Peak{GFLOPS: 3, GBs: 4}))
	require.NoError(t, e.Calibrate(t.Context()))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Contains(t, string(text), `"gflops": 3`)
	assert.NotContains(t, string(text), "matmul")
	again, _ := open(t, tensor.WithCrossover(file))
	peak, err := again.MeasurePeak(t.Context())
	require.NoError(t, err)
	assert.Equal(t, tensor.Peak{GFLOPS: 3, GBs: 4}, peak)

	missing, _ := open(t, tensor.WithCrossover(filepath.Join(t.TempDir(), "no folder", "file")),
		tensor.WithPeak(tensor.Peak{GFLOPS: 3, GBs: 4}))
	err = missing.Calibrate(t.Context())
	assert.ErrorContains(t, err, "tensor: Calibrate: ")
}
