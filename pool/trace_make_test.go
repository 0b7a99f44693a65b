package pool

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/mtl"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The traces in testdata are the requests that a framework makes of its allocator when it runs
// DistilGPT2, a transformer of 6 layers, tensor by tensor: each result and each temporary is a
// block of its own, returned when the last operation that reads it has been encoded. A trace is
// text:
//
//	+n    rents a block of the n-th size
//	-n    returns the block that was rented n rents before the last
//
// The sizes come first, one per line: storage, bytes. A # starts a comment.

// The shapes of DistilGPT2.
const (
	layers = 6
	hidden = 768
	heads  = 12
	head   = hidden / heads
	inner  = 4 * hidden
	vocab  = 50257
	places = 1024 // positions
)

// recorder writes a trace.
type recorder struct {
	sizes []traceSize
	rents []int // the sizes of all blocks
	body  strings.Builder
	line  int
}

type traceSize struct {
	storage mtl.StorageMode
	bytes   uint
}

// tensor is a block in a trace.
type tensor int

func (r *recorder) rent(storage mtl.StorageMode, bytes int) tensor {
	s := traceSize{storage, uint(bytes)}
	i := slices.Index(r.sizes, s)
	if i < 0 {
		i = len(r.sizes)
		r.sizes = append(r.sizes, s)
	}
	r.word("+%d", i)
	r.rents = append(r.rents, i)
	return tensor(len(r.rents) - 1)
}

// device rents a tensor whose elements have the given size in bytes.
func (r *recorder) device(bytes int, shape ...int) tensor {
	for _, n := range shape {
		bytes *= n
	}
	return r.rent(mtl.StorageModePrivate, bytes)
}

// host rents a tensor that the host writes or reads.
func (r *recorder) host(bytes int, shape ...int) tensor {
	for _, n := range shape {
		bytes *= n
	}
	return r.rent(mtl.StorageModeShared, bytes)
}

// again rents a tensor of the same size as another.
func (r *recorder) again(t tensor) tensor {
	s := r.sizes[r.rents[t]]
	return r.rent(s.storage, int(s.bytes))
}

func (r *recorder) drop(all ...tensor) {
	for _, t := range all {
		r.word("-%d", len(r.rents)-1-int(t))
	}
}

func (r *recorder) word(format string, args ...any) {
	if r.line++; r.line > 40 {
		r.body.WriteByte('\n')
		r.line = 1
	} else if r.line > 1 {
		r.body.WriteByte(' ')
	}
	fmt.Fprintf(&r.body, format, args...)
}

func (r *recorder) note(format string, args ...any) {
	if r.line > 0 {
		r.body.WriteByte('\n')
	}
	fmt.Fprintf(&r.body, "# "+format+"\n", args...)
	r.line = 0
}

func (r *recorder) text() string {
	var b strings.Builder
	for i, s := range r.sizes {
		fmt.Fprintf(&b, "%v %d # %d\n", s.storage, s.bytes, i)
	}
	return b.String() + r.body.String() + "\n"
}

// weights rents the parameters, or tensors of the same shapes.
func (r *recorder) weights(bytes int) (all []tensor) {
	add := func(shape ...int) { all = append(all, r.device(bytes, shape...)) }
	add(vocab, hidden)
	add(places, hidden)
	for range layers {
		add(hidden)
		add(hidden)
		add(hidden, 3*hidden)
		add(3 * hidden)
		add(hidden, hidden)
		add(hidden)
		add(hidden)
		add(hidden)
		add(hidden, inner)
		add(inner)
		add(inner, hidden)
		add(hidden)
	}
	add(hidden)
	add(hidden)
	return all
}

// inference serves requests in sequence, in half precision. Prompts have different lengths; the
// key-value cache grows by 64 positions at a time, by renting a longer block and copying.
func inference() string {
	r := &recorder{}
	const half, chunk, requests, tokens = 2, 64, 10, 24
	rng := rand.New(rand.NewPCG(5, 1))
	r.note("weights")
	r.weights(half)
	for request := range requests {
		prompt := 20 + rng.IntN(180)
		r.note("request %d: a prompt of %d tokens, %d to answer", request, prompt, tokens)
		var keys, values [layers]tensor
		capacity := 0
		for at, rows := 0, prompt; at < prompt+tokens; at, rows = at+rows, 1 {
			ids := r.host(4, rows)
			x := r.device(half, rows, hidden)
			grow := at+rows > capacity
			if grow {
				capacity = (at + rows + chunk - 1) / chunk * chunk
			}
			for l := range layers {
				if grow {
					k, v := r.device(half, heads, capacity, head), r.device(half, heads, capacity, head)
					if at > 0 {
						r.drop(keys[l], values[l])
					}
					keys[l], values[l] = k, v
				}
				norm := r.device(half, rows, hidden)
				qkv := r.device(half, rows, 3*hidden)
				r.drop(norm)
				scores := r.device(half, heads, rows, at+rows)
				mixed := r.device(half, rows, hidden)
				r.drop(scores, qkv)
				out := r.device(half, rows, hidden)
				r.drop(mixed)
				sum := r.device(half, rows, hidden)
				r.drop(out, x)
				norm = r.device(half, rows, hidden)
				up := r.device(half, rows, inner)
				r.drop(norm)
				act := r.device(half, rows, inner)
				r.drop(up)
				down := r.device(half, rows, hidden)
				r.drop(act)
				x = r.device(half, rows, hidden)
				r.drop(down, sum)
			}
			norm := r.device(half, 1, hidden)
			logits := r.device(4, vocab)
			probabilities := r.device(4, vocab)
			token := r.host(4, 1)
			r.drop(norm, logits, probabilities, token, x, ids)
		}
		for l := range layers {
			r.drop(keys[l], values[l])
		}
	}
	return r.text()
}

// training runs steps over two sequences of 256 tokens, in single precision, with dropout and Adam.
// Gradients are freed after each step.
func training() string {
	r := &recorder{}
	const float, batch, length, steps = 4, 2, 256, 40
	const rows = batch * length
	r.note("weights, and Adam's moments")
	weights := r.weights(float)
	r.weights(float)
	r.weights(float)
	type saved struct {
		norm1, stat1, qkv, probs, mask1, mixed, mask2, x1, norm2, stat2, up, act, mask3, x2 tensor
	}
	flat := func() tensor { return r.device(float, rows, hidden) }
	for step := range steps {
		r.note("step %d: forward", step)
		ids, targets := r.host(4, rows), r.host(4, rows)
		embedded := flat()
		var s [layers]saved
		for l := range layers {
			t := &s[l]
			t.norm1, t.stat1 = flat(), r.device(float, 2, rows)
			t.qkv = r.device(float, rows, 3*hidden)
			scores := r.device(float, batch, heads, length, length)
			t.probs = r.device(float, batch, heads, length, length)
			r.drop(scores)
			t.mask1 = r.device(1, batch, heads, length, length)
			t.mixed = flat()
			out := flat()
			t.mask2 = r.device(1, rows, hidden)
			t.x1 = flat()
			r.drop(out)
			t.norm2, t.stat2 = flat(), r.device(float, 2, rows)
			t.up = r.device(float, rows, inner)
			t.act = r.device(float, rows, inner)
			out = flat()
			t.mask3 = r.device(1, rows, hidden)
			t.x2 = flat()
			r.drop(out)
		}
		norm, stat := flat(), r.device(float, 2, rows)
		logits := r.device(float, rows, vocab)
		losses, loss := r.device(float, rows), r.host(float, 1)

		r.note("step %d: backward", step)
		gradients := make([]tensor, 0, len(weights))
		grad := func(shape ...int) { gradients = append(gradients, r.device(float, shape...)) }
		r.drop(losses)
		grad(vocab, hidden) // the gradient of the logits replaces them
		d := flat()
		r.drop(logits)
		grad(hidden)
		grad(hidden)
		dx := flat()
		r.drop(d, norm, stat)
		for l := layers - 1; l >= 0; l-- {
			t := &s[l]
			dropped := flat()
			r.drop(t.mask3, t.x2)
			grad(inner, hidden)
			grad(hidden)
			dact := r.device(float, rows, inner)
			r.drop(dropped, t.act)
			dup := r.device(float, rows, inner)
			r.drop(dact, t.up)
			grad(hidden, inner)
			grad(inner)
			dnorm := flat()
			r.drop(dup, t.norm2)
			grad(hidden)
			grad(hidden)
			dx1 := flat()
			r.drop(dnorm, t.stat2, dx)
			dropped = flat()
			r.drop(t.mask2, t.x1)
			grad(hidden, hidden)
			grad(hidden)
			dmixed := flat()
			r.drop(dropped, t.mixed)
			dprobs := r.device(float, batch, heads, length, length)
			r.drop(t.mask1)
			dscores := r.device(float, batch, heads, length, length)
			r.drop(dprobs, t.probs)
			dqkv := r.device(float, rows, 3*hidden)
			r.drop(dscores, dmixed, t.qkv)
			grad(hidden, 3*hidden)
			grad(3 * hidden)
			dnorm = flat()
			r.drop(dqkv, t.norm1)
			grad(hidden)
			grad(hidden)
			dx = flat()
			r.drop(dnorm, t.stat1, dx1)
		}
		grad(places, hidden)
		r.drop(dx, embedded, ids, targets)

		r.note("step %d: the norm of the gradients, and Adam", step)
		norms := r.device(float, len(weights))
		for range gradients {
			partial := r.device(float, 256)
			r.drop(partial)
		}
		r.drop(norms)
		for i := range gradients {
			denominator := r.again(weights[i])
			r.drop(denominator)
		}
		r.drop(gradients...)
		r.drop(loss)
	}
	return r.text()
}

// traces are those in testdata.
var traces = []struct {
	name string
	make func() string
}{{"inference", inference}, {"training", training}}

// TestTracesCurrent: the files are what the functions above write. PUREMETAL_UPDATE=1 writes them.
func TestTracesCurrent(t *testing.T) {
	for _, tr := range traces {
		path, want := filepath.Join("testdata", tr.name+".trace"), tr.make()
		if os.Getenv("PUREMETAL_UPDATE") != "" {
			require.NoError(t, os.WriteFile(path, []byte(want), 0o644))
		}
		have, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, want, strings.ReplaceAll(string(have), "\r\n", "\n"), "%s: run the test with PUREMETAL_UPDATE=1",
			path)
	}
}
