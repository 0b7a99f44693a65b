package objc

import (
	"fmt"
	"slices"
)

// Recorder stores messages and sends them all at once: with Apple's driver in a single transition into C, which costs a
// fraction of as many calls. A recorder is reusable, allocates nothing once it has grown, and belongs to one goroutine at a time.
//
// The objects that a message names must live until [Recorder.Send] returns.
type Recorder struct {
	messages []recorded
	words    []uintptr
	bytes    [][]byte // copies handed out by Bytes, in use
	spare    [][]byte // the same, for reuse
	err      error
	sent     bool
	backend  recorderBackend
}

type recorded struct {
	method  *Method
	binding *binding
	recv    ID
	from    int // message whose result is the receiver, or -1
	first   int // argument words in Recorder.words
	result  uintptr
}

// Result stands for the result of a recorded message until Send, and names it afterwards.
type Result struct{ index int }

// NewRecorder returns an empty recorder.
func NewRecorder() *Recorder { return &Recorder{} }

// Len returns the number of messages recorded.
func (r *Recorder) Len() int { return len(r.messages) }

// Add records a message.
func (r *Recorder) Add(m *Method, recv ID, args ...uintptr) Result {
	return r.add(m, recv, -1, args)
}

// AddTo records a message to the result of an earlier one.
func (r *Recorder) AddTo(m *Method, recv Result, args ...uintptr) Result {
	if recv.index < 0 || recv.index >= len(r.messages) {
		r.fail(fmt.Errorf("objc: %s: receiver is the result of message %d, %d are recorded: %w", m.Name(), recv.index, len(r.messages), ErrNotObject))
		return Result{-1}
	}
	if b := r.messages[recv.index].binding; b != nil && !b.retObject {
		r.fail(fmt.Errorf("objc: %s: message %d returns no object: %w", m.Name(), recv.index, ErrNotObject))
		return Result{-1}
	}
	return r.add(m, 0, recv.index, args)
}

func (r *Recorder) add(m *Method, recv ID, from int, args []uintptr) Result {
	b := m.bound.Load()
	if b == nil {
		var err error
		if b, err = m.bind(); err != nil {
			r.fail(newFault(m.Name(), err))
			return Result{-1}
		}
	}
	if len(args) != b.words {
		r.fail(fmt.Errorf("objc: %s: %d argument words given, %q takes %d: %w", m.Name(), len(args), m.Encoding, b.words, ErrArguments))
		return Result{-1}
	}
	r.messages = append(r.messages, recorded{method: m, binding: b, recv: recv, from: from, first: len(r.words)})
	r.words = append(r.words, args...)
	return Result{len(r.messages) - 1}
}

// Bytes copies data into the recorder and returns the copy's address as an argument word; the copy lives until Reset.
func (r *Recorder) Bytes(data []byte) uintptr {
	if len(data) == 0 {
		return 0
	}
	var c []byte
	if n := len(r.spare); n > 0 && cap(r.spare[n-1]) >= len(data) {
		c = r.spare[n-1][:len(data)]
		r.spare = r.spare[:n-1]
	} else {
		c = make([]byte, len(data), max(len(data), 64))
	}
	copy(c, data)
	r.bytes = append(r.bytes, c)
	return Slice(c)
}

func (r *Recorder) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// Send sends the messages in order, once: a second Send needs a Reset and new messages. It returns the first
// thing that was wrong. An error found while recording, a dead handle or a selector that a receiver does not have is found before anything is sent, as far as receivers are known by then.
// Messages to a nil result are skipped and answer zero.
func (r *Recorder) Send() error {
	if r.err != nil {
		return r.err
	}
	if r.sent {
		return fmt.Errorf("objc: recorder sent twice without Reset: %w", ErrArguments)
	}
	r.sent = true
	if len(r.messages) == 0 {
		return nil
	}
	w, err := current()
	if err != nil {
		return err
	}
	if w.soft == nil {
		return r.backend.send(w.apple, r)
	}
	for i := range r.messages {
		m := &r.messages[i]
		recv := m.recv
		if m.from >= 0 {
			recv = ID(r.messages[m.from].result)
		}
		var ret [1]uintptr
		if recv != 0 {
			if err := m.binding.send(m.method, recv, noescape(r.args(i)), noescape(ret[:])); err != nil {
				return newFault(m.method.Name(), err)
			}
		}
		m.result = ret[0]
	}
	return nil
}

// args returns the argument words of message i.
func (r *Recorder) args(i int) []uintptr {
	m := &r.messages[i]
	return r.words[m.first : m.first+m.binding.words]
}

// Word returns the first word of a sent message's result.
func (r *Recorder) Word(res Result) uintptr {
	if res.index < 0 || res.index >= len(r.messages) {
		return 0
	}
	return r.messages[res.index].result
}

// Reset forgets the messages and keeps the memory.
func (r *Recorder) Reset() {
	r.messages = r.messages[:0]
	r.words = r.words[:0]
	r.spare = append(r.spare, r.bytes...)
	r.bytes = slices.Delete(r.bytes, 0, len(r.bytes))
	r.err, r.sent = nil, false
	r.backend.reset()
}
