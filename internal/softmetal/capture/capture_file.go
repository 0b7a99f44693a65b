package capture

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"github.com/puremetal/puremetal/internal/softmetal/command"
)

// captureFile is the name of the file in the folder that a capture writes: one JSON object per
// line, whose field event says what it is.
//
//	capture        the first line: version of the format, device, and the queue if only one is captured
//	commandBuffer  a command buffer that was committed during the capture, when it has ended: number, queue, label, status, error, times in
//	               nanoseconds, and its commands (see command.TraceCommand)
//	boundary       a mark between two units of work, which the program set
//	end            the last line: how many command buffers there are
const captureFile = "trace.jsonl"

// captureVersion is the format's version.
const captureVersion = 1

// traceFile is a trace that is being written.
type traceFile struct {
	mu      sync.Mutex
	file    *os.File
	w       *bufio.Writer
	json    *json.Encoder
	err     error // the first
	pending int   // command buffers that are committed and have not ended
	count   int
	stopped bool
}

type traceLine struct {
	Event   string `json:"event"`
	Version int    `json:"version,omitempty"`
	Device  string `json:"device,omitempty"`
	Queue   string `json:"queue,omitempty"`
	Number  int    `json:"number,omitempty"`
	Buffers *int   `json:"commandBuffers,omitempty"`
	*command.Trace
}

// newTraceFile makes the folder and the file in it. Neither may be there.
func newTraceFile(folder string, first traceLine) (*traceFile, error) {
	if err := os.Mkdir(folder, 0o777); err != nil {
		if errors.Is(err, os.ErrExist) {
			return nil, fmt.Errorf("the output %q exists already", folder)
		}
		return nil, fmt.Errorf("the output cannot be written: %w", err)
	}
	f, err := os.Create(filepath.Join(folder, captureFile))
	if err != nil {
		return nil, fmt.Errorf("the output cannot be written: %w", err)
	}
	t := &traceFile{file: f, w: bufio.NewWriter(f)}
	t.json = json.NewEncoder(t.w)
	t.json.SetEscapeHTML(false)
	first.Event, first.Version = "capture", captureVersion
	t.line(first)
	return t, nil
}

// line writes a line; t.mu is held, or nobody else has access to t.
func (t *traceFile) line(l traceLine) {
	if err := t.json.Encode(l); err != nil && t.err == nil {
		t.err = err
	}
}

// committed takes a command buffer into the trace.
func (t *traceFile) committed(queue string, b *command.Buffer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stopped {
		return
	}
	t.pending++
	t.count++
	number := t.count
	b.Traced = func(b *command.Buffer) {
		trace := b.Trace()
		t.mu.Lock()
		defer t.mu.Unlock()
		t.line(traceLine{Event: "commandBuffer", Number: number, Queue: queue, Trace: &trace})
		t.pending--
		t.close()
	}
}

// boundary writes a mark.
func (t *traceFile) boundary(queue string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.stopped {
		t.line(traceLine{Event: "boundary", Queue: queue})
	}
}

// stop ends the trace when the command buffers that are in it have ended.
func (t *traceFile) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stopped = true
	t.close()
}

// close writes the last line, if this is the end.
func (t *traceFile) close() {
	if !t.stopped || t.pending > 0 || t.file == nil {
		return
	}
	t.line(traceLine{Event: "end", Buffers: &t.count})
	if err := errors.Join(t.err, t.w.Flush(), t.file.Close()); err != nil { // stopping a capture returns no error
		slog.Error("software device: a capture is not written whole", "file", t.file.Name(), "error", err)
	}
	t.file = nil
}
