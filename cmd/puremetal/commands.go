//go:build !puremetal_run

package main

import (
	"context"
	"os"

	"github.com/puremetal/puremetal/cmd/puremetal/internal/kernelvet"
)

// moreCommands are those that a build with the tag puremetal_run leaves out, with what only they
// import: HTTP and TLS, charts, the generator, the benchmark, the conformance suite.
type moreCommands struct {
	Analyze    analyzeCmd   `cmd:"" help:"Count what a kernel does to memory, and say what to change."`
	Generate   generateCmd  `cmd:"" help:"Write Go functions that launch the kernels of a source file."`
	Translate  translateCmd `cmd:"" help:"Translate kernels of other languages to Metal."`
	VetKernels vetCmd       `cmd:"" name:"vet-kernels" help:"Report what kernels in Go cannot do, through go vet."`
	Bench      benchCmd     `cmd:"" help:"Benchmark the device on common operations."`
	Model      modelCmd     `cmd:"" help:"Show and run language models."`
	Trace      traceCmd     `cmd:"" help:"Summarize traces of run --trace."`
	Report     reportCmd    `cmd:"" help:"Show how the accelerator of a running program works."`
	Devices    devicesCmd   `cmd:"" help:"List devices with their limits, GPU families and memory."`
	Doctor     doctorCmd    `cmd:"" help:"Diagnose whether kernels can run on this machine."`
}

// elsewhere says where other commands are.
const elsewhere = ""

// reportSources are what doctor --report describes.
type reportSources struct {
	environ    func() []string // all variables
	startCases func(context.Context) (*caseProcess, error)
}

func newReportSources() reportSources {
	return reportSources{environ: os.Environ, startCases: startCases}
}

// serveVet does what go vet asks of a tool, if it has started this process, and ends the process.
func serveVet(args []string) {
	if kernelvet.Called(args) {
		kernelvet.Main()
	}
}
