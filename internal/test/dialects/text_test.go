package dialects

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/msl/dialect"
	"github.com/puremetal/puremetal/internal/msl/translate"
	"github.com/puremetal/puremetal/internal/test/exectest"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// program is what compile was given.
type program struct {
	dialect    *dialect.Dialect
	name, text string
}

// programs and texts are by module: what was compiled, and its translation.
var programs, texts sync.Map

// runText runs a kernel by its text: it must leave in memory what the kernel that was compiled
// directly has left.
func runText(t testing.TB, m *msl.Module, kernel string, l, want *testlaunch.Launch) {
	t.Helper()
	known, ok := programs.Load(m)
	if !ok {
		return
	}
	p := known.(program)
	x, ok := texts.Load(m)
	if !ok {
		r, err := translate.Translate(t.Context(), msl.Source{Name: p.name, Text: p.text},
			translate.Options{Compile: msl.Options{Dialect: p.dialect, Logging: true}})
		require.NoError(t, err, "%s", r.Text)
		require.Empty(t, r.Refused)
		x = r
		texts.Store(m, x)
	}
	r := x.(*translate.Result)
	for _, k := range r.Kernels {
		if k.Direct() != kernel {
			continue
		}
		require.NoError(t, exectest.Quick.Run(r.Module.IR.Func(k.As), l), "%s", r.Text)
		for slot, b := range l.Buffers {
			require.Negative(t, exectest.Differ(want.Buffers[slot].Data, b.Data), "buffer %d of %s by its text", slot,
				kernel)
		}
		for slot, x := range l.Textures {
			require.Equal(t, want.Textures[slot].Levels, x.Levels, "texture %d of %s by its text", slot, kernel)
		}
		return
	}
	require.Fail(t, "no text", "%s", kernel)
}
