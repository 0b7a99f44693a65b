package compute

import (
	"testing"

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
		for _, open := range []func(*encoder) error{(*encoder).openCompute, (*encoder).openBlit} {
			commands, err := s.metal.queue.CommandBuffer()
			require.NoError(t, err)
			e := encoder{acc: a, label: fenceless.label, stats: &fenceless.stats, commands: commands}
			require.ErrorIs(t, open(&e), mtl.ErrNil)
			require.ErrorIs(t, e.close(), mtl.ErrNil)
			require.NoError(t, commands.Commit(), "nothing is open")
			assert.NoError(t, commands.WaitUntilCompleted())
		}
	})
}
