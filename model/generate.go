package model

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/tensor"
)

// Generation says how [Sequence.Generate] continues a text. The zero value takes the likeliest
// token each time, until the context is full.
type Generation struct {
	Tokens   int // at most so many; 0: as many as the context has room for
	Sampling tensor.Sampling
	// Repetition divides the positive logits of tokens that are among the last Last ones, and
	// multiplies the negative ones; 0 and 1 do nothing. Last 0 stands for 64.
	Repetition float64
	Last       int
	Seed       uint64  // of the random numbers
	Stop       []int32 // tokens that end the text; they are not returned
}

// Generate adds a prompt to the sequence and returns tokens that continue it, one by one. It ends
// after as many as it should return, at a token of Stop, when the context is full with an error
// that wraps [ErrContext], and when ctx ends. The last token that was returned is not part of the
// sequence yet: it begins the next prompt.
func (q *Sequence) Generate(ctx context.Context, prompt []int32, g Generation) iter.Seq2[int32, error] {
	return func(yield func(int32, error) bool) {
		random := rand.New(rand.NewPCG(g.Seed, 0))
		ids := prompt
		seen := slices.Clone(prompt)
		for n := 0; g.Tokens == 0 || n < g.Tokens; n++ {
			if g.Tokens == 0 && n > 0 && q.cache.used+len(ids) > q.model.options.Context {
				return
			}
			list, err := q.model.next(ctx, []*Sequence{q}, [][]int32{ids}, []drawing{{g, seen, random.Float32()}})
			if err != nil {
				yield(0, err)
				return
			}
			if slices.Contains(g.Stop, list[0]) || !yield(list[0], nil) {
				return
			}
			ids, seen = list, append(seen, list[0])
		}
	}
}

// Step adds tokens to each of some sequences, which differ, and returns the scores of all tokens
// behind the last one of each. All are computed at once: for one token each, the weights are read
// once for all of them.
func (m *Model) Step(ctx context.Context, sequences []*Sequence, ids [][]int32) (logits [][]float32, err error) {
	all := func(_ *tensor.Scope, logits *tensor.Tensor) *tensor.Tensor { return logits }
	data, err := step[float32](ctx, m, sequences, ids, all)
	if err != nil {
		return nil, err
	}
	n := m.config.Vocabulary
	for i := range sequences {
		logits = append(logits, data[i*n:(i+1)*n:(i+1)*n])
	}
	return logits, nil
}

// drawing is how the next token of a sequence is drawn: with a random number from 0 to 1, and its
// tokens so far.
type drawing struct {
	Generation
	seen   []int32
	random float32
}

// next is Step, but draws a token for each sequence.
func (m *Model) next(ctx context.Context, sequences []*Sequence, ids [][]int32, d []drawing) ([]int32, error) {
	return step[int32](ctx, m, sequences, ids, func(s *tensor.Scope, y *tensor.Tensor) *tensor.Tensor {
		return draw(s, y, d)
	})
}

// draw draws a token for each row of logits. Rows that are drawn in the same way are drawn at once.
func draw(s *tensor.Scope, logits *tensor.Tensor, d []drawing) *tensor.Tensor {
	var drawn []*tensor.Tensor
	for from := 0; from < len(d); {
		to := from + 1
		for to < len(d) && !d[from].penalizes() && !d[to].penalizes() && d[to].Sampling == d[from].Sampling {
			to++
		}
		x := logits.Slice(0, from, to)
		if g := d[from]; g.penalizes() {
			last := g.Last
			if last == 0 {
				last = 64
			}
			x = s.PenalizeRepetition(x, tensor.Of(s, g.seen[max(0, len(g.seen)-last):]), g.Repetition)
		}
		random := make([]float32, to-from)
		for i := range random {
			random[i] = d[from+i].random
		}
		drawn = append(drawn, s.Sample(x, tensor.Of(s, random), d[from].Sampling))
		from = to
	}
	if len(drawn) == 1 {
		return drawn[0]
	}
	return s.Concat(0, drawn...)
}

// penalizes reports whether tokens that are there already are less likely.
func (g *Generation) penalizes() bool { return g.Repetition != 0 && g.Repetition != 1 }

// step adds tokens to each of some sequences, and returns the elements of what a function makes of
// the logits behind the last one of each.
func step[T tensor.Element](ctx context.Context, m *Model, sequences []*Sequence, ids [][]int32,
	of func(s *tensor.Scope, logits *tensor.Tensor) *tensor.Tensor) ([]T, error) {
	if err := m.checkStep(sequences, ids); err != nil {
		return nil, err
	}
	s := m.engine.Scope(ctx)
	defer s.Close()
	parts := make([]part, len(sequences))
	ends := make([]int32, len(sequences))
	rows := 0
	most := max(1, maxRows/len(sequences))
	for i, q := range sequences {
		left := ids[i]
		for len(left) > most { // a long prompt is computed in pieces
			n := min(maxRows, len(left)-1)
			if err := q.prefill(ctx, left[:n]); err != nil {
				return nil, err
			}
			left = left[n:]
		}
		parts[i] = part{&q.cache, left}
		rows += len(left)
		ends[i] = int32(rows - 1)
	}
	p := m.newPass(ctx, s, parts)
	x := p.hidden()
	if rows > len(sequences) {
		x = s.Gather(x, tensor.Of(s, ends), 0)
	}
	data, err := tensor.Data[T](ctx, of(s, p.logits(x)))
	if err != nil {
		m.slabs.spoil(parts)
		return nil, err
	}
	for _, x := range parts {
		x.cache.used += len(x.ids)
	}
	return data, nil
}

// prefill adds tokens whose logits nobody needs.
func (q *Sequence) prefill(ctx context.Context, ids []int32) error {
	s := q.model.engine.Scope(ctx)
	defer s.Close()
	parts := []part{{&q.cache, ids}}
	q.model.newPass(ctx, s, parts).hidden()
	if err := s.Err(); err != nil {
		q.model.slabs.spoil(parts)
		return err
	}
	q.cache.used += len(ids)
	return nil
}

func (m *Model) checkStep(sequences []*Sequence, ids [][]int32) error {
	if m.arch.encoder {
		return fmt.Errorf("model: %s has no logits: %w", m.arch.name, ErrArchitecture)
	}
	if len(sequences) == 0 || len(sequences) != len(ids) {
		return fmt.Errorf("model: %d sequences and %d lists of tokens: %w", len(sequences), len(ids), ErrToken)
	}
	for i, q := range sequences {
		switch {
		case q == nil:
			return fmt.Errorf("model: sequence %d: %w", i, compute.ErrNil)
		case q.model != m || slices.Index(sequences, q) != i:
			return fmt.Errorf("model: sequence %d is of another model, or is there twice: %w", i, ErrToken)
		case len(ids[i]) == 0:
			return fmt.Errorf("model: no tokens for sequence %d: %w", i, ErrToken)
		}
		if err := q.check(ids[i]); err != nil {
			return err
		}
	}
	return nil
}
