package model

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/tensor"
	"github.com/puremetal/puremetal/internal/document"
	"github.com/puremetal/puremetal/model/gguf"
	"github.com/puremetal/puremetal/model/safetensors"
)

// Options configures a [Model]. The zero value is fine.
type Options struct {
	// Config is the JSON file with a safetensors model's configuration: the names of [Config], or
	// config.json of Hugging Face. The default is config.json beside the file.
	Config string
	// Context is how many tokens a sequence may have. The default is the model's own, at most 4096:
	// each sequence has memory for it.
	Context int
	// CacheFormat is how a sequence keeps keys and values: [tensor.PackedF32], [tensor.PackedF16],
	// [tensor.PackedBF16] or [tensor.Q8_0]. The default is PackedF32. Q8_0 takes 34 bytes for 32
	// elements of a head, whose number must be a multiple of 32: otherwise Open fails with
	// [tensor.ErrShape].
	CacheFormat tensor.Format
	// Int8Activations multiplies ternary weights with activations of 8 bits, as BitNet b1.58 was
	// trained: see [tensor.Scope.MatMulTernary]. Otherwise activations are float32.
	Int8Activations bool
	// Progress is called by Open, several times, with how many bytes of weights are ready and how many
	// there are.
	Progress func(done, total int)
}

// maxContext is the default's limit.
const maxContext = 4096

// Model is a language model on a device. It is safe for concurrent use; the work of one call is
// enqueued at once.
type Model struct {
	engine  *tensor.Engine
	source  *source
	config  Config
	arch    architecture
	options Options
	scope   *tensor.Scope
	weights weights
	slabs   slabs
}

// Open opens a model's file, GGUF or safetensors, or the index of several
// (model.safetensors.index.json). Close the model before the engine. ctx is for all of the model's
// life: when it ends, loading stops, and operations fail, with [compute.ErrCanceled].
func Open(ctx context.Context, engine *tensor.Engine, file string, o Options) (*Model, error) {
	src, err := openSource(file, o)
	if err != nil {
		return nil, err
	}
	m := &Model{engine: engine, source: src, config: src.config, options: o}
	if err := m.load(ctx); err != nil {
		return nil, errors.Join(err, m.Close(context.WithoutCancel(ctx)))
	}
	return m, nil
}

// openSource opens a model's file with its configuration.
func openSource(file string, o Options) (*source, error) {
	kind, err := KindOf(file)
	if err != nil {
		return nil, err
	}
	var c Config
	if kind == "safetensors" {
		name := o.Config
		if name == "" {
			name = filepath.Join(filepath.Dir(file), "config.json")
		}
		if c, err = ReadConfig(name); err != nil {
			return nil, fmt.Errorf("%s: its configuration: %w", file, err)
		}
	}
	src, err := openFile(kind, file, c)
	if err != nil {
		return nil, err
	}
	if src.gguf != nil {
		if src.config, err = configOf(src.gguf); err != nil {
			return nil, errors.Join(err, src.close.Close())
		}
	}
	return src, nil
}

// openFile opens a file of a kind; c is the configuration of safetensors.
func openFile(kind, file string, c Config) (*source, error) {
	if kind == "gguf" {
		f, err := gguf.Open(file)
		if err != nil {
			return nil, err
		}
		return fromGGUF(f), nil
	}
	f, err := safetensors.Open(file)
	if err != nil {
		return nil, err
	}
	return fromSafetensors(f, c), nil
}

// KindOf returns "gguf" or "safetensors" by a file's first bytes and its name.
func KindOf(file string) (string, error) {
	if strings.HasSuffix(file, ".safetensors") || strings.HasSuffix(file, ".index.json") {
		return "safetensors", nil
	}
	if strings.HasSuffix(file, ".gguf") {
		return "gguf", nil
	}
	f, err := document.Model.Open(file) // which waits for no pipe
	if err != nil {
		return "", err
	}
	defer f.Close()
	var head [9]byte
	n, _ := f.Read(head[:])
	switch {
	case bytes.HasPrefix(head[:n], []byte("GGUF")):
		return "gguf", nil
	case n == len(head) && head[8] == '{':
		return "safetensors", nil
	}
	return "", fmt.Errorf("%s: byte 0: begins with %q, neither a GGUF nor a safetensors file: %w", file, head[:n],
		gguf.ErrFormat)
}

func (m *Model) load(ctx context.Context) (err error) {
	if m.arch, err = architectureOf(m.config.Architecture); err != nil {
		return fmt.Errorf("%s: %w", m.source.name, err)
	}
	if err := m.config.check(); err != nil {
		return fmt.Errorf("%s: %w", m.source.name, err)
	}
	o := &m.options
	if o.Context == 0 {
		o.Context = min(m.config.Context, maxContext)
	}
	if o.Context < 1 || o.Context > m.config.Context {
		return fmt.Errorf("%s: a context of %d tokens, want 1 to %d: %w", m.source.name, o.Context, m.config.Context,
			ErrContext)
	}
	if o.CacheFormat == 0 {
		o.CacheFormat = tensor.PackedF32
	}
	if err := checkCache(o.CacheFormat, &m.config); err != nil {
		return fmt.Errorf("%s: %w", m.source.name, err)
	}
	m.scope = m.engine.Scope(ctx)
	l := &loader{source: m.source, s: m.scope, ctx: ctx, progress: o.Progress}
	m.weights = l.load(m.config, m.arch)
	err = l.err
	if e := m.scope.Err(); err == nil && e != nil {
		err = fmt.Errorf("%s: %w", m.source.name, e)
	}
	if err != nil && compute.ClassOf(err) == compute.ClassOutOfMemory {
		err = fmt.Errorf("%s: %d bytes of weights, and %d for each sequence of %d tokens: %w", m.source.name,
			m.source.bytes, m.SequenceBytes(), o.Context, err)
	}
	if err != nil {
		return err
	}
	m.config.Vocabulary, _ = m.weights.embedding.Shape()
	err = m.engine.Sync(ctx)
	if err == nil && o.Progress != nil {
		o.Progress(m.source.bytes, m.source.bytes) // also of tensors that the architecture does not have
	}
	return err
}

// Close waits for the model's work and releases its weights. Its sequences must be closed.
func (m *Model) Close(ctx context.Context) error {
	var err error
	if m.scope != nil {
		err = m.engine.Sync(ctx) // the mapped file must not be in use any more
		m.scope.Close()
	}
	return errors.Join(err, m.source.close.Close())
}

// Config returns the model's configuration.
func (m *Model) Config() Config { return m.config }

// Context returns how many tokens a sequence may have.
func (m *Model) Context() int { return m.options.Context }

// checkIDs returns an error unless all tokens are of the vocabulary.
func (m *Model) checkIDs(ids []int32) error {
	for i, id := range ids {
		if id < 0 || int(id) >= m.config.Vocabulary {
			return fmt.Errorf("model: token %d at position %d, want 0 to %d: %w", id, i, m.config.Vocabulary-1,
				ErrToken)
		}
	}
	return nil
}

// check returns an error unless tokens can be added.
func (q *Sequence) check(ids []int32) error {
	if err := q.model.checkIDs(ids); err != nil {
		return err
	}
	if q.cache.slab == nil {
		return fmt.Errorf("model: the sequence: %w", compute.ErrClosed)
	}
	if free := q.model.options.Context - q.cache.used; len(ids) > free {
		return fmt.Errorf("model: %d tokens for a sequence of %d with room for %d more: %w", len(ids), q.cache.used,
			free, ErrContext)
	}
	return nil
}

// Logits returns the scores of all tokens behind each token of a text: [tokens, vocabulary].
func (m *Model) Logits(ctx context.Context, ids []int32) ([][]float32, error) {
	seq, err := m.NewSequence()
	if err != nil {
		return nil, err
	}
	defer seq.Close()
	return seq.Logits(ctx, ids)
}

// Embed returns the last layer's rows for a text, [tokens, features]. For encoders such as bert,
// these are the embeddings of the tokens.
func (m *Model) Embed(ctx context.Context, ids []int32) ([][]float32, error) {
	seq, err := m.NewSequence()
	if err != nil {
		return nil, err
	}
	defer seq.Close()
	return seq.rows(ctx, ids, func(p *pass) *tensor.Tensor { return p.hidden() })
}

// Sequence is a text that grows. It is for one goroutine at a time.
type Sequence struct {
	model *Model
	cache cache
}

// WeightBytes returns how much memory the weights take: that of the mapped file.
func (m *Model) WeightBytes() int { return m.source.bytes }

// NewSequence returns an empty sequence, with memory for as many tokens as [Model.Context] says.
// Where there are several already, it may make memory for more of them at once, by half at most.
// Close it when done.
func (m *Model) NewSequence() (*Sequence, error) { return m.newSequence(0) }

// newSequence is NewSequence, but makes memory for as many sequences at once, or for fewer, if it
// has to make any; [slabs.slot] says how many with 0.
func (m *Model) newSequence(slots int) (*Sequence, error) {
	c, err := m.slabs.slot(m, slots)
	if err != nil {
		return nil, fmt.Errorf("model: a sequence of %d tokens needs %d bytes for keys and values: %w",
			m.options.Context, m.SequenceBytes(), err)
	}
	return &Sequence{model: m, cache: c}, nil
}

// SequenceBytes returns how much memory a sequence takes.
func (m *Model) SequenceBytes() int {
	c := &m.config
	elements, bytes := m.options.CacheFormat.Block()
	return c.Layers * c.KVHeads * m.options.Context * (c.HeadSize + c.ValueSize) / elements * bytes
}

// Close releases the sequence's memory, once others whose memory is one with it are closed as well:
// those of a [Scheduler] are.
func (q *Sequence) Close() { q.model.slabs.free(&q.cache) }

// Len returns how many tokens the sequence has.
func (q *Sequence) Len() int { return q.cache.used }

// Truncate removes all tokens but the first n, so that another text can follow a common beginning.
func (q *Sequence) Truncate(n int) { q.cache.used = max(0, min(n, q.cache.used)) }

// Logits adds tokens to the sequence, and returns the scores of all tokens behind each of them.
func (q *Sequence) Logits(ctx context.Context, ids []int32) ([][]float32, error) {
	if q.model.arch.encoder {
		return nil, fmt.Errorf("model: %s has no logits: %w", q.model.arch.name, ErrArchitecture)
	}
	return q.rows(ctx, ids, func(p *pass) *tensor.Tensor { return p.logits(p.hidden()) })
}

// maxRows is how many tokens are computed at once.
const maxRows = 512

// rows adds tokens, and returns the rows that compute returns for them.
func (q *Sequence) rows(ctx context.Context, ids []int32, compute func(*pass) *tensor.Tensor) (rows [][]float32,
	err error) {
	m := q.model
	if err := q.check(ids); err != nil {
		return nil, err
	}
	most := maxRows
	if m.arch.encoder {
		most = len(ids) // all see each other
	}
	for len(ids) > 0 {
		n := min(len(ids), most)
		list, err := q.some(ctx, ids[:n], compute)
		if err != nil {
			return nil, err
		}
		rows, ids = append(rows, list...), ids[n:]
	}
	return rows, nil
}

func (q *Sequence) some(ctx context.Context, ids []int32, compute func(*pass) *tensor.Tensor) ([][]float32, error) {
	s := q.model.engine.Scope(ctx)
	defer s.Close()
	parts := []part{{&q.cache, ids}}
	y := compute(q.model.newPass(ctx, s, parts))
	data, err := tensor.Data[float32](ctx, y)
	if err != nil {
		q.model.slabs.spoil(parts)
		return nil, err
	}
	q.cache.used += len(ids)
	columns := len(data) / len(ids)
	rows := make([][]float32, len(ids))
	for i := range rows {
		rows[i] = data[i*columns : (i+1)*columns : (i+1)*columns]
	}
	return rows, nil
}
