package objc

import (
	"fmt"
	"slices"
)

// Recorder stores messages and sends them all at once: with Apple's driver in a single transition
// into C, which costs a fraction of as many calls. A recorder is reusable, allocates nothing once
// it has grown, and belongs to one goroutine at a time.
//
// The objects that a message names must live from the time it is recorded until [Recorder.Send]
// returns; Send refuses to send where one does not.
type Recorder struct {
	n        int        // messages recorded
	messages []recorded // the same, with the software driver
	words    []uintptr  // their argument words
	bytes    [][]byte   // copies handed out by Bytes, in use
	spare    [][]byte   // the same, for reuse
	err      error
	sent     bool
	backend  recorderBackend // with Apple's driver
}

type recorded struct {
	method  *Method
	binding *binding
	recv    ID
	from    int // message whose result is the receiver, or -1
	first   int // argument words in Recorder.words
	result  uintptr
}

// Result is a placeholder for the result of a recorded message until Send, and its handle
// afterwards.
type Result struct{ index int }

// NewRecorder returns an empty recorder.
func NewRecorder() *Recorder { return &Recorder{} }

// Len returns the number of messages recorded.
func (r *Recorder) Len() int { return r.n }

// Add records a message.
func (r *Recorder) Add(m *Method, recv ID, args ...uintptr) Result {
	// The way of almost every message to an encoder; r.add handles the rest, and what is wrong.
	if b := m.bound.Load(); b != nil && len(args) == b.words && r.backend.addAgain(b, recv, noescape(args)) {
		r.n++
		return Result{r.n - 1}
	}
	return r.add(m, recv, -1, noescape(args))
}

// AddTo records a message to the result of an earlier one, which must be an object.
func (r *Recorder) AddTo(m *Method, recv Result, args ...uintptr) Result {
	if recv.index < 0 || recv.index >= r.n {
		return r.fail(fmt.Errorf("objc: %s: receiver is the result of message %d, %d are recorded: %w", m.Name(), recv.index,
			r.n, ErrNotObject))
	}
	return r.add(m, 0, recv.index, noescape(args))
}

func (r *Recorder) add(m *Method, recv ID, from int, args []uintptr) Result {
	b := m.bound.Load()
	if b == nil {
		var err error
		if b, err = m.bind(); err != nil {
			return r.fail(newFault(m.Name(), err))
		}
	}
	if len(args) != b.words {
		return r.fail(newFault(m.Name(), b.wrongWords(m, args)))
	}
	if b.soft == nil {
		if err := r.backend.add(m, b, recv, from, args); err != nil {
			return r.fail(newFault(m.Name(), err))
		}
	} else {
		if from >= 0 && !r.messages[from].binding.retObject {
			return r.fail(noObjectResult(m, from))
		}
		r.messages = append(r.messages, recorded{method: m, binding: b, recv: recv, from: from, first: len(r.words)})
		r.words = append(r.words, args...)
	}
	r.n++
	return Result{r.n - 1}
}

func noObjectResult(m *Method, from int) error {
	return fmt.Errorf("objc: %s: message %d returns no object: %w", m.Name(), from, ErrNotObject)
}

// Bytes copies data into the recorder and returns the copy's address as an argument word; the copy
// lives until Reset.
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

func (r *Recorder) fail(err error) Result {
	if r.err == nil {
		r.err = err
	}
	return Result{-1}
}

// Send sends the messages in order, once: a second Send needs a Reset and new messages. It returns
// the first thing that was wrong. What is wrong already at recording, such as a dead handle or a
// selector that the receiver does not have, stops it before anything is sent. Messages to a nil
// result are skipped and answer zero.
func (r *Recorder) Send() error {
	if r.err != nil {
		return r.err
	}
	if r.sent {
		return fmt.Errorf("objc: recorder sent twice without Reset: %w", ErrArguments)
	}
	r.sent = true
	if r.messages == nil {
		return r.backend.send()
	}
	for i := range r.messages {
		m := &r.messages[i]
		recv := m.recv
		if m.from >= 0 {
			recv = ID(r.messages[m.from].result)
		}
		if recv == 0 {
			continue
		}
		var ret [1]uintptr
		args := r.words[m.first : m.first+m.binding.words]
		if err := m.method.send(recv, noescape(args), noescape(ret[:])); err != nil {
			return newFault(m.method.Name(), err)
		}
		m.result = ret[0]
	}
	return nil
}

// Word returns the first word of a sent message's result.
func (r *Recorder) Word(res Result) uintptr {
	switch {
	case res.index < 0 || res.index >= r.n || !r.sent:
		return 0
	case r.messages == nil:
		return r.backend.word(res.index)
	}
	return r.messages[res.index].result
}

// Reset forgets the messages and keeps the memory.
func (r *Recorder) Reset() {
	r.n = 0
	r.messages = r.messages[:0]
	r.words = r.words[:0]
	r.spare = append(r.spare, r.bytes...)
	r.bytes = slices.Delete(r.bytes, 0, len(r.bytes))
	r.err, r.sent = nil, false
	r.backend.reset()
}
