package main

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"
)

const (
	progressDelay = time.Second // how long work goes on before a bar is shown
	progressTick  = 200 * time.Millisecond
)

// progressBar shows on the standard error how far work is that takes longer than a second. The nil bar shows nothing.
type progressBar struct {
	done atomic.Int64
	end  chan struct{}
	gone sync.WaitGroup
	once sync.Once
}

// progress begins a piece of work of so many steps; one step alone shows only that time passes. Where the standard error is no terminal nothing is shown.
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
	if total == 1 {
		total = -1 // a spinner
	}
	bar := progressbar.NewOptions(total, progressbar.OptionSetWriter(a.err), progressbar.OptionSetDescription(what), progressbar.OptionShowCount(),
		progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(30), progressbar.OptionEnableColorCodes(a.colours(a.err)))
	tick := time.NewTicker(progressTick)
	defer tick.Stop()
	for {
		_ = bar.Set64(p.done.Load()) // what cannot be shown is not worth failing for
		select {
		case <-p.end:
			_ = bar.Finish()
			_ = bar.Clear()
			return
		case <-tick.C:
		}
	}
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
