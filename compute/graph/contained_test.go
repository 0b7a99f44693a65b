package graph

import (
	"context"
	"runtime"
	"testing"

	"github.com/puremetal/puremetal/compute"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// misbehaviors are what functions of a program do instead of returning.
var misbehaviors = map[string]func(){"panic": func() { panic("boom") }, "exit": runtime.Goexit}

// requirePanicOf expects a *PanicError of a function.
func requirePanicOf(t *testing.T, err error, what string) {
	t.Helper()
	var p *compute.PanicError
	require.ErrorAs(t, err, &p)
	assert.Contains(t, p.What, what)
}

// TestContainedHosts: a function of a graph that does not return fails the replay at any depth, and
// the stream goes on.
func TestContainedHosts(t *testing.T) {
	for name, misbehave := range misbehaviors {
		for _, where := range []string{"top", "child", "if", "while"} {
			t.Run(name+"/"+where, func(t *testing.T) {
				a := accelerator(t)
				s, condition := newStream(t, a), bufferOf[uint32](t, a, 1)
				body, g := New(a, "body"), New(a, "g")
				_, err := body.Host(func() error { misbehave(); return nil })
				require.NoError(t, err)
				switch where {
				case "top":
					g = body
				case "child":
					_, err = g.Child(body)
				case "if":
					_, err = g.If(condition, body)
				case "while":
					_, err = g.While(condition, body, 3)
				}
				require.NoError(t, err)
				i, err := g.Instantiate(t.Context())
				require.NoError(t, err)
				defer i.Close()
				require.NoError(t, i.Replay(t.Context(), s))
				requirePanicOf(t, s.Sync(t.Context()), "a function of graph")
				require.NoError(t, s.Sync(t.Context()))
			})
		}
	}
}

// TestContainedRecord: a function that ends the goroutine of the caller of Record leaves the graph
// as it was.
func TestContainedRecord(t *testing.T) {
	a := accelerator(t)
	g, x := New(a, "g"), bufferOf[uint32](t, a, 1)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = g.Record(t.Context(), func(ctx context.Context, s *compute.Stream) error {
			defer runtime.Goexit()
			return compute.Fill(ctx, s, x, 0)
		})
	}()
	<-ended
	assert.Zero(t, g.Len())
}

// closing is a resource whose Close is a function.
type closing func()

func (c closing) Close() { c() }

// TestContainedOwned: a resource that an operation owns does not stop the run.
func TestContainedOwned(t *testing.T) {
	for name, misbehave := range misbehaviors {
		t.Run(name, func(t *testing.T) {
			a := accelerator(t)
			g := NewTaskGraph(a)
			require.NoError(t, g.Add("owner", func(context.Context, *compute.Stream) error { return nil }))
			require.NoError(t, g.Own("owner", closing(misbehave)))
			_, err := g.Run(t.Context(), 1)
			require.NoError(t, err)
			requirePanicOf(t, a.Sync(t.Context()), "owner owns")
		})
	}
}
