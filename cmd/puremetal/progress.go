package main

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/puremetal/puremetal/internal/msl/diag"
)

// The progress bar is our own: all that the command needs is one line on a terminal.

const (
	progressDelay = time.Second // of work before a bar appears
	progressTick  = 200 * time.Millisecond
)

// progressBar shows progress on standard error for work that takes longer than a second. A nil bar
// shows nothing.
type progressBar struct {
	done atomic.Int64
	end  chan struct{}
	gone sync.WaitGroup
	once sync.Once
}

// progress starts a bar for work of total steps. A single step gets a spinner. It returns nil if
// standard error is not a terminal.
func (a *app) progress(total int, what string) *progressBar {
	if !terminal(a.err) {
		return nil
	}
	p := &progressBar{end: make(chan struct{})}
	p.gone.Go(func() { p.show(a, total, what) })
	return p
}

func (p *progressBar) show(a *app, total int, what string) {
	select {
	case <-p.end:
		return
	case <-time.After(progressDelay):
	}
	tick := time.NewTicker(progressTick)
	defer tick.Stop()
	// Write errors are ignored: a bar that cannot be shown is no reason to fail.
	what, to := diag.EscapeLine(what), raw(a.err) // the bar returns to the line's beginning
	for n, width := 0, 0; ; n++ {
		line := progressLine(what, int(p.done.Load()), total, n)
		fmt.Fprintf(to, "\r%-*s", width, line)
		width = len(line)
		select {
		case <-p.end:
			fmt.Fprintf(to, "\r%*s\r", width, "")
			return
		case <-tick.C:
		}
	}
}

// progressLine returns the nth line: a spinner for work of one step, else a bar.
func progressLine(what string, done, total, n int) string {
	const width = 30
	if total <= 1 {
		return fmt.Sprintf("%s %c", what, `|/-\`[n%4])
	}
	done = min(max(done, 0), total)
	full := width * done / total
	return fmt.Sprintf("%s [%s%s] %d/%d", what, strings.Repeat("=", full), strings.Repeat(" ", width-full), done, total)
}

// progressOfBytes returns a function that shows how much of some bytes is done, and one that
// removes the bar.
func (a *app) progressOfBytes(what string, quiet bool) (set func(done, total int), stop func()) {
	const unit = 1 << 20
	var p *progressBar
	set = func(done, total int) {
		if p == nil && !quiet {
			p = a.progress(max(total/unit, 2), what+", MiB")
		}
		if p != nil {
			p.done.Store(int64(done / unit))
		}
	}
	return set, func() { p.stop() }
}

// add counts a finished step.
func (p *progressBar) add() {
	if p != nil {
		p.done.Add(1)
	}
}

// stop removes the bar. Further calls do nothing.
func (p *progressBar) stop() {
	if p != nil {
		p.once.Do(func() { close(p.end) })
		p.gone.Wait()
	}
}
