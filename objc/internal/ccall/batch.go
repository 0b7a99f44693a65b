//go:build (darwin || linux) && (amd64 || arm64)

package ccall

import (
	"errors"
	"fmt"
)

// ErrBatchRunning is why a batch refuses to be changed, or run again, by a
// callback from its own run.
var ErrBatchRunning = errors.New("ccall: the batch is running")

// Batch records calls and makes them all in one transition into C, in order. A
// call may take the results of earlier ones as its receiver or arguments.
//
// Misuse, such as a chain from a record that does not exist, is remembered as
// the batch's error, and [Batch.Run] then sends nothing. The zero Batch is
// empty and ready. A Batch is not safe for concurrent use.
type Batch struct {
	records []record
	chunks  [][]uintptr // where frames live; never moved, since frames hold addresses
	chunk   []uintptr   // the current one
	used    int         // words of it
	next    int         // the chunk to take after it
	tail    *uintptr    // the last frame's word for the next frame's address
	err     error
	running bool
}

// record is one call: its frame has the plan's layout.
type record struct {
	plan  *Plan
	frame *uintptr
}

func (r *record) mem() []uintptr { return words(r.frame, r.plan.size) }

// Sizes of chunks, in words: each is twice the one before, up to a limit.
const (
	firstChunk = 512
	maxChunk   = 64 << 10
)

// Add records a call as [Plan.Call] makes it and returns its index, or -1 where
// the batch cannot take it.
func (b *Batch) Add(p *Plan, fn, self, cmd uintptr, args ...uintptr) int {
	at := b.used
	if !p.plain || len(args) != p.argWords-2 || at+frameShort > len(b.chunk) || b.running {
		return b.add(p, fn, self, cmd, args)
	}
	b.used = at + frameShort
	mem := b.chunk[at : at+frameShort]
	fillPlain((*[frameShort]uintptr)(mem), fn, self, cmd, args)
	return b.append(p, mem, addressOf(mem))
}

// add is Add for a call that is not plain, or at the end of a chunk.
func (b *Batch) add(p *Plan, fn, self, cmd uintptr, args []uintptr) int {
	if p.head != 2 {
		return b.AddFunc(p, fn, prepend(self, cmd, args)...)
	}
	mem := b.alloc(p.size)
	if mem == nil {
		return -1
	}
	base := addressOf(mem)
	p.fill(mem, base, fn, args)
	mem[p.headAt[0]] = self
	mem[p.headAt[1]] = cmd
	return b.append(p, mem, base)
}

// AddChained is Add with the first result word of an earlier record as self.
// Where that is nil, so is self.
func (b *Batch) AddChained(p *Plan, fn uintptr, from int, cmd uintptr, args ...uintptr) int {
	at := b.used
	const size = frameShort + linkSize
	if !p.plain || len(args) != p.argWords-2 || at+size > len(b.chunk) || b.running ||
		uint(from) >= uint(len(b.records)) || !b.records[from].plan.direct || b.records[from].plan.retWords == 0 {
		i := b.Add(p, fn, 0, cmd, args...)
		if i >= 0 {
			b.Link(i, 0, from, 0)
		}
		return i
	}
	b.used = at + size
	mem := b.chunk[at : at+size]
	base := addressOf(mem)
	fillPlain((*[frameShort]uintptr)(mem), fn, 0, cmd, args)
	src := &b.records[from]
	mem[frameLinks] = base + frameShort*8
	link := mem[frameShort:size]
	link[linkNext] = 0
	link[linkFrom] = addressOf(src.mem()) + uintptr(src.plan.result)*8
	link[linkTo] = base + frameInts*8
	return b.append(p, mem, base)
}

// AddFunc records a call as [Plan.CallFunc] makes it and returns its index, or
// -1 where the batch cannot take it.
func (b *Batch) AddFunc(p *Plan, fn uintptr, args ...uintptr) int {
	mem := b.alloc(p.size)
	if mem == nil {
		return -1
	}
	if len(args) < p.head {
		args = pad(args, p.argWords)
	}
	base := addressOf(mem)
	p.fillAll(mem, base, fn, args)
	return b.append(p, mem, base)
}

// alloc takes an even number of words from the current chunk, or returns nil
// while the batch runs.
func (b *Batch) alloc(words int) []uintptr {
	at := b.used
	if at+words > len(b.chunk) || b.running {
		return b.allocSlow(words)
	}
	b.used = at + words
	return b.chunk[at : at+words]
}

func (b *Batch) allocSlow(words int) []uintptr {
	if b.running {
		b.fail(ErrBatchRunning)
		return nil
	}
	for b.used = len(b.chunk); b.used+words > len(b.chunk); b.used = 0 {
		if b.next == len(b.chunks) {
			size := firstChunk
			if b.next > 0 {
				size = min(2*len(b.chunks[b.next-1]), maxChunk)
			}
			b.chunks = append(b.chunks, make([]uintptr, max(size, words)))
		}
		b.chunk = b.chunks[b.next]
		b.next++
	}
	b.used = words
	return b.chunk[:words]
}

func (b *Batch) append(p *Plan, mem []uintptr, base uintptr) int {
	n := len(b.records)
	if n > 0 {
		*b.tail = base
	}
	b.tail = &mem[frameNext]
	b.records = append(b.records, record{p, b.tail})
	return n
}

// Link makes a word of the i-th record's arguments (0 is the first of all, a
// method's self) the result word fromWord of an earlier record. Both must be
// whole words: a narrow integer is none.
func (b *Batch) Link(i, word, from, fromWord int) {
	switch {
	case b.running:
		b.fail(ErrBatchRunning)
		return
	case i < 0 || i >= len(b.records):
		b.fail(fmt.Errorf("ccall: link into record %d of %d", i, len(b.records)))
		return
	case from < 0 || from >= i:
		b.fail(fmt.Errorf("ccall: link from record %d into record %d, which does not come after it", from, i))
		return
	}
	src, dst := &b.records[from], &b.records[i]
	into := dst.mem()
	if fromWord < 0 || fromWord >= src.plan.retWords || !src.plan.direct {
		b.fail(fmt.Errorf("ccall: link from result word %d of %q, which has no such whole word", fromWord,
			src.plan.sig.Encoding))
		return
	}
	at := dst.plan.wholeWord(word)
	if at < 0 {
		b.fail(fmt.Errorf("ccall: link into argument word %d of %q, which has no such whole word", word,
			dst.plan.sig.Encoding))
		return
	}
	link := b.alloc(linkSize)
	link[linkNext] = into[frameLinks]
	link[linkFrom] = addressOf(src.mem()[src.plan.result+fromWord:])
	link[linkTo] = addressOf(into[at:])
	into[frameLinks] = addressOf(link)
}

// SetArg changes an argument word of a record, for another Run. A word that has
// been linked stays so.
func (b *Batch) SetArg(i, word int, value uintptr) {
	switch {
	case b.running:
		b.fail(ErrBatchRunning)
		return
	case i < 0 || i >= len(b.records):
		b.fail(fmt.Errorf("ccall: argument of record %d of %d", i, len(b.records)))
		return
	}
	r := &b.records[i]
	if word < 0 || word >= r.plan.argWords {
		b.fail(fmt.Errorf("ccall: argument word %d of %q, which has %d", word, r.plan.sig.Encoding, r.plan.argWords))
		return
	}
	r.plan.setWord(r.mem(), word, value)
}

// Len returns the number of records.
func (b *Batch) Len() int { return len(b.records) }

// Err returns the first misuse since the last Reset.
func (b *Batch) Err() error { return b.err }

func (b *Batch) fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

// Run makes the recorded calls. It may be called again: the calls are then made
// once more.
func (b *Batch) Run() error {
	switch {
	case b.running:
		return ErrBatchRunning
	case b.err != nil:
		return b.err
	case len(b.records) == 0:
		return nil
	}
	b.running = true
	run(b.records[0].mem())
	b.running = false
	return b.err
}

// Result returns the words of the i-th record's result, valid until Reset or
// the next Run; nil for void or where there is no such record. Before a Run it
// says nothing.
func (b *Batch) Result(i int) []uintptr {
	if i < 0 || i >= len(b.records) {
		return nil
	}
	r := &b.records[i]
	p := r.plan
	if p.retWords == 0 {
		return nil
	}
	words := r.mem()[p.result : p.result+p.retWords : p.result+p.retWords]
	if !p.direct {
		p.decode(r.mem(), words)
	}
	return words
}

// Reset empties the batch and keeps its memory. While the batch runs it does
// nothing.
func (b *Batch) Reset() {
	if b.running {
		return
	}
	b.records = b.records[:0]
	b.chunk, b.used, b.next, b.tail = nil, 0, 0, nil
	b.err = nil
}
