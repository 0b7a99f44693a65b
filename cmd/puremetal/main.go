// Command puremetal checks, runs and benchmarks Metal kernels: on the GPU on a Mac, on a software
// device everywhere else.
//
//	puremetal run examples/mandelbrot
//	puremetal check kernels.metal
//
// See docs/cli.md, which is generated from the commands' help.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// stopTime is how long a command may take to end after a signal. It is longer than it takes to stop
// kernels and to close a device.
const stopTime = 2 * time.Second

// obey ends the command at a signal: it cancels the command's context, and exits for it where
// nothing looks at that, such as in a decoder. Ctrl-C does so only if there is nothing smaller to
// stop.
func obey(signals chan os.Signal, stop func() bool, cancel context.CancelCauseFunc,
	after func(time.Duration) <-chan time.Time, exit func(code int)) {
	s := (<-signals).(syscall.Signal)
	for s == syscall.SIGINT && stop() {
		s = (<-signals).(syscall.Signal)
	}
	signal.Stop(signals) // a second Ctrl-C kills the process
	cancel(interrupted{s})
	<-after(stopTime)
	exit(exitSignaled + int(s))
}

func main() {
	serveVet(os.Args[1:])
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	a := &app{ctx: ctx, in: os.Stdin, out: os.Stdout, err: os.Stderr, env: os.Getenv, exit: os.Exit,
		reportSources: newReportSources()}
	go obey(signals, a.stopAnswer, cancel, time.After, func(code int) {
		fmt.Fprintln(os.Stderr, "puremetal: interrupted")
		os.Exit(code)
	})
	os.Exit(a.main(os.Args[1:]))
}
