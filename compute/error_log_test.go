package compute

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// logText is what has been logged.
type logText struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logText) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.b.Reset()
	return l.b.String()
}

// TestErrorLog: of failures that have one cause, the first is logged at once, and the others of
// each period as one line.
func TestErrorLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var text logText
		l := errorLog{log: slog.New(slog.NewTextHandler(&text, nil))}
		lines := func() (all []string) {
			synctest.Wait()
			for line := range strings.Lines(text.take()) {
				_, message, _ := strings.Cut(line, "msg=")
				all = append(all, strings.TrimSpace(message))
			}
			return all
		}
		fail := func(kernel string, n int) {
			for range n {
				l.add(failureCause{stream: "s", kind: ErrTimeout, form: "%s", name: kernel},
					&ExecutionError{Stream: "s", Kind: ErrTimeout, Err: ErrTimeout, Commands: []string{kernel}})
			}
		}
		const first = `"compute: a command buffer failed" stream=s`
		const again = `"compute: command buffers failed again for the same cause" stream=s`
		fail("a", 1)
		fail("b", 1)
		got := lines()
		assert.Len(t, got, 2, "two causes")
		assert.Contains(t, got[0], first)
		fail("a", 10_672)
		assert.Empty(t, lines(), "in the same period")
		time.Sleep(logPeriod)
		got = lines()
		assert.Len(t, got, 1)
		assert.Contains(t, got[0], again+" times=10672 ")
		fail("a", 3)
		fail("b", 1)
		got = lines()
		assert.Len(t, got, 1, "the second cause had a period without failure")
		assert.Contains(t, got[0], first)
		l.close()
		got = lines()
		assert.Len(t, got, 1)
		assert.Contains(t, got[0], again+" times=3 ")
	})
}

// TestErrorLogBounded: causes without number share lines.
func TestErrorLogBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var text logText
		l := errorLog{log: slog.New(slog.NewTextHandler(&text, nil))}
		for i := range 10 * maxCauses {
			l.add(failureCause{stream: fmt.Sprint(i), kind: ErrTimeout}, &ExecutionError{Kind: ErrTimeout, Err: ErrTimeout})
		}
		assert.Len(t, l.causes, maxCauses+1)
		l.close()
		assert.Equal(t, maxCauses+2, strings.Count(text.take(), "\n"))
	})
}

// TestCanceledIsNoError: work that the program canceled is logged for information.
func TestCanceledIsNoError(t *testing.T) {
	var text logText
	l := errorLog{log: slog.New(slog.NewTextHandler(&text, nil))}
	for _, kind := range []error{ErrCanceled, ErrTimeout} {
		for range 2 {
			l.add(failureCause{stream: "s", kind: kind}, &ExecutionError{Stream: "s", Kind: kind, Err: kind})
		}
	}
	l.close()
	got := text.take()
	assert.Equal(t, []int{2, 2}, []int{strings.Count(got, "level=INFO"), strings.Count(got, "level=ERROR")}, got)
	for line := range strings.Lines(got) {
		assert.Equal(t, strings.Contains(line, "level=INFO"), strings.Contains(line, "canceled"), line)
	}
}
