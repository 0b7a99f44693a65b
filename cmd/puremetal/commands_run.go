//go:build puremetal_run

package main

// moreCommands are none: with the tag puremetal_run, which README's first command has, only run and
// check are built, in two thirds of the time.
type moreCommands struct{}

const elsewhere = " (a build without the tag puremetal_run has more)"

type reportSources struct{}

func newReportSources() (none reportSources) { return none }

func serveVet([]string) {}
