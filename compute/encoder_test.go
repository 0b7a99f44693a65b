package compute

import (
	"testing"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEncoderEnds: no encoder stays open where its fence fails, for Metal would abort the process.
func TestEncoderEnds(t *testing.T) {
	a := accelerator(t)
	s := newStream(t, a)
	fenceless := &Stream{label: "fenceless"}
	objc.Pool(func() {
		for _, open := range []func(*stream.Encoder) error{(*stream.Encoder).OpenCompute, (*stream.Encoder).OpenBlit} {
			commands, err := s.metal.queue.CommandBuffer()
			require.NoError(t, err)
			e := stream.Encoder{Acc: &a.core, Label: fenceless.label, Stats: &fenceless.stats, Commands: commands}
			require.ErrorIs(t, open(&e), mtl.ErrNil)
			require.ErrorIs(t, e.Close(), mtl.ErrNil)
			require.NoError(t, commands.Commit(), "nothing is open")
			assert.NoError(t, commands.WaitUntilCompleted())
		}
	})
}
