package main

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// The line is drawn here and not by schollz/progressbar, which imports net/http: with TLS and all
// that hangs on it, the first build of the command would take a third longer, and the README
// promises that it is short.

const (
	progressDelay = time.Second // how long work goes on before a bar is shown
	progressTick  = 200 * time.Millisecond
)

// progressBar shows on the standard error how far work is that takes longer than a second. The nil
// bar shows nothing.
type progressBar struct {
	done atomic.Int64
	end  chan struct{}
	gone sync.WaitGroup
	once sync.Once
}

// progress begins a piece of work of so many steps; one step alone shows only that time passes.
// Where the standard error is no terminal nothing is shown.
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
	// What cannot be shown is not worth failing for: errors of the writer are passed over.
	for n, width := 0, 0; ; n++ {
		line := progressLine(what, int(p.done.Load()), total, n)
		fmt.Fprintf(a.err, "\r%-*s", width, line)
		width = len(line)
		select {
		case <-p.end:
			fmt.Fprintf(a.err, "\r%*s\r", width, "")
			return
		case <-tick.C:
		}
	}
}

// progressLine is what is shown the nth time. Work of one step has a mark that turns, other work a
// bar.
func progressLine(what string, done, total, n int) string {
	const width = 30
	if total <= 1 {
		return fmt.Sprintf("%s %c", what, `|/-\`[n%4])
	}
	done = min(max(done, 0), total)
	full := width * done / total
	return fmt.Sprintf("%s [%s%s] %d/%d", what, strings.Repeat("=", full), strings.Repeat(" ", width-full), done, total)
}

// add says that a step is done.
func (p *progressBar) add() {
	if p != nil {
		p.done.Add(1)
	}
}

// stop takes the bar away; more than one call does nothing.
func (p *progressBar) stop() {
	if p != nil {
		p.once.Do(func() { close(p.end) })
		p.gone.Wait()
	}
}
