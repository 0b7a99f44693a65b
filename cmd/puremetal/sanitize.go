package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"

	"github.com/alecthomas/kong"

	"github.com/puremetal/puremetal/internal/document"
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

// writeSARIF writes findings to a file.
func writeSARIF(name string, list []*sanitizer.Finding) error {
	f, err := os.Create(name)
	if err != nil {
		return fmt.Errorf("--sarif: %w", err)
	}
	return errors.Join(sanitizer.SARIF(f, list), f.Close())
}

// source returns the text of a file that findings are in; "" if it cannot be read.
func (j *job) source(file string) string {
	if full, err := programName(j.plan.source.text, j.plan.text); err == nil && full == file {
		return j.plan.text
	}
	f, err := includeDirs{dirs: append([]string{"."}, j.cmd.Include...)}.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	text, err := document.Header.Read(f)
	if err != nil {
		return ""
	}
	return string(text)
}

// findingsError reports that kernels are wrong.
type findingsError int

func (n findingsError) Error() string {
	if n == 1 {
		return "the sanitizer found a mistake"
	}
	return fmt.Sprintf("the sanitizer found %d mistakes", int(n))
}
