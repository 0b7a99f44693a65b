package profile_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/profile"
	"github.com/puremetal/puremetal/internal/test/handletest"
)

// TestHandles gives every exported function and method nil and zero handles.
func TestHandles(t *testing.T) {
	r := newRig(t)
	recorder, err := profile.Start(r.acc, profile.Options{})
	require.NoError(t, err)
	defer recorder.Stop()
	handletest.Check(t, handletest.Package{
		Handles: []any{recorder, r.acc},
		Foreign: []any{r.acc},
		Functions: map[string]any{
			"Start": func(acc *compute.Accelerator, o profile.Options) error {
				r, err := profile.Start(acc, o)
				r.Stop()
				return err
			},
			"WithProfile": profile.WithProfile, "ReadTrace": profile.ReadTrace,
		},
		Without: []string{"Command", "Transfer", "Profile"}, // data
		Ends:    []string{"Recorder.Stop"},
		Err:     compute.ErrNil,
	})
	// A zero profile has nothing in it; a nil one is an error to write, as is a nil writer.
	var none *profile.Profile
	assert.Empty(t, none.Kernels())
	streams, busy := none.Streams()
	assert.Empty(t, streams)
	assert.Zero(t, busy)
	assert.Empty(t, none.ByOperation())
	assert.Zero(t, none.MostMemory())
	for _, p := range []*profile.Profile{none, {}} {
		var b bytes.Buffer
		for name, errs := range map[string][2]error{"JSON": {p.WriteJSON(&b), p.WriteJSON(nil)},
			"text": {p.WriteText(&b), p.WriteText(nil)}, "trace": {p.WriteTrace(&b), p.WriteTrace(nil)},
			"pprof": {p.WritePprof(&b), p.WritePprof(nil)}} {
			if p == nil {
				assert.ErrorIs(t, errs[0], compute.ErrNil, name)
			} else {
				assert.NoError(t, errs[0], name)
			}
			assert.ErrorIs(t, errs[1], compute.ErrNil, name)
		}
	}
}
