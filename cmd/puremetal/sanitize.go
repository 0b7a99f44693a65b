package main

import (
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/alecthomas/kong"

	"github.com/puremetal/puremetal/sanitizer"
)

// sanitizeFlag is --sanitize, alone or with kinds of findings.
type sanitizeFlag sanitizer.Kinds

// IsBool says that the flag needs no value.
func (sanitizeFlag) IsBool() bool { return true }

// Decode implements kong.MapperValue.
func (s *sanitizeFlag) Decode(ctx *kong.DecodeContext) error {
	kinds := sanitizer.All
	if ctx.Scan.Peek().Type == kong.FlagValueToken {
		var err error
		if kinds, err = sanitizer.Parse(fmt.Sprint(ctx.Scan.Pop().Value)); err != nil {
			return err
		}
	}
	*s = sanitizeFlag(kinds)
	return nil
}

// findings collects what the sanitizer finds, each finding once.
type findings struct {
	mu   sync.Mutex
	list []*sanitizer.Finding
}

func (f *findings) add(x *sanitizer.Finding) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = append(f.list, x)
}

// sorted returns the findings in the order of their places, never nil.
func (f *findings) sorted() []*sanitizer.Finding {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := append([]*sanitizer.Finding{}, f.list...)
	slices.SortFunc(list, (*sanitizer.Finding).Compare)
	return list
}

// text writes the findings.
func (f *findings) text(w io.Writer) error {
	for _, x := range f.sorted() {
		if _, err := fmt.Fprintln(w, x); err != nil {
			return err
		}
	}
	return nil
}

// findingsError reports that kernels are wrong.
type findingsError int

func (n findingsError) Error() string {
	if n == 1 {
		return "the sanitizer found a mistake"
	}
	return fmt.Sprintf("the sanitizer found %d mistakes", int(n))
}
