package onnxjudge

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const list = "testdata/listed.txt"

// readCase reads a case of the suite. err is a refusal if an input cannot be decoded.
func readCase(dir string) (m *Model, inputs, outputs []*Tensor, err error) {
	b, err := os.ReadFile(filepath.Join(dir, "model.onnx"))
	if err != nil {
		return nil, nil, nil, err
	}
	if m, err = ParseModel(b); err != nil {
		return nil, nil, nil, err
	}
	if inputs, err = readTensors(dir, "input", m.Graph.Inputs); err != nil {
		return m, nil, nil, err
	}
	outputs, err = readTensors(dir, "output", m.Graph.Outputs)
	return m, inputs, outputs, err
}

func readTensors(dir, kind string, values []Value) (out []*Tensor, err error) {
	for i, v := range values {
		b, err := os.ReadFile(filepath.Join(dir, "test_data_set_0", fmt.Sprintf("%s_%d.pb", kind, i)))
		if errors.Is(err, os.ErrNotExist) {
			break // inputs that have a default
		}
		if err != nil {
			return nil, err
		}
		if v.Type == 0 {
			return nil, refusal{true, fmt.Sprintf("the sequence or optional value %q", v.Name)}
		}
		t, err := ParseTensor(b)
		if err != nil {
			return nil, fmt.Errorf("%s %d: %w", kind, i, err)
		}
		if t.Type.Size() == 0 {
			return nil, refusal{true, fmt.Sprintf("tensors of %v", t.Type)}
		}
		out = append(out, t)
	}
	return out, nil
}

// judge runs a case and returns why it does not pass.
func (r *rig) judge(dir string) error {
	m, inputs, want, err := readCase(dir)
	if err != nil {
		return err
	}
	got, err := r.run(m, inputs)
	if err != nil {
		return err
	}
	if len(got) != len(want) {
		return fmt.Errorf("%d outputs and not %d", len(got), len(want))
	}
	for i := range want {
		if err := compare(got[i], want[i]); err != nil {
			return fmt.Errorf("output %d: %w", i, err)
		}
	}
	return nil
}

// readList reads the cases that are known not to pass.
func readList(t *testing.T) map[string]string {
	t.Helper()
	b, err := os.ReadFile(list)
	require.NoError(t, err)
	out := map[string]string{}
	for line := range strings.Lines(string(b)) {
		name, reason, ok := strings.Cut(strings.TrimSpace(line), ": ")
		require.True(t, ok && reason != "", "a line without a reason: %q", line)
		out[name] = reason
	}
	return out
}

// TestSuite judges the ONNX node suite.
func TestSuite(t *testing.T) {
	folder := os.Getenv("PUREMETAL_ONNX_DATA")
	if folder == "" {
		t.Skip("PUREMETAL_ONNX_DATA does not name the folder of the ONNX node suite, which is not a part of the repository")
	}
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	r := newRig(t)
	listed := readList(t)
	update := os.Getenv("PUREMETAL_UPDATE") != ""
	only := os.Getenv("PUREMETAL_ONNX_CASES")
	failed := map[string]string{}
	cases, methods, passed := 0, 0, 0
	for _, e := range entries {
		if !e.IsDir() || !strings.Contains(e.Name(), only) {
			continue
		}
		cases++
		err := r.judge(filepath.Join(folder, e.Name()))
		reason, known := listed[e.Name()]
		var refused refusal
		if !errors.As(err, &refused) || !refused.noMethod {
			methods++
		}
		switch {
		case err == nil:
			passed++
			if known && !update {
				t.Errorf("%s passes, but is listed: %s", e.Name(), reason)
			}
		case !known:
			reason, _, _ = strings.Cut(err.Error(), "\n")
			if !update {
				t.Errorf("%s: %s", e.Name(), reason)
			}
			fallthrough
		default:
			failed[e.Name()] = reason
		}
	}
	t.Logf("%d cases; %d of operators that MPSGraph has methods for, of which %d pass: %.1f %%", cases, methods, passed,
		100*float64(passed)/float64(max(methods, 1)))
	if update && only == "" {
		var b strings.Builder
		for _, name := range slices.Sorted(maps.Keys(failed)) {
			fmt.Fprintf(&b, "%s: %s\n", name, failed[name])
		}
		require.NoError(t, os.WriteFile(list, []byte(b.String()), 0o600))
		return
	}
	for name := range listed {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			assert.NoError(t, err, "a listed case that the suite does not have")
		}
	}
}
