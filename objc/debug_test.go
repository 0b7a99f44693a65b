package objc

import (
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// The environment switches debug mode on, so it is tested in a separate process.
func TestDebugMode(t *testing.T) {
	if os.Getenv("OBJC_TEST_DEBUG") != "" {
		t.Skip("this is the child process")
	}
	out := runChild(t, "TestDebugChild", "OBJC_TEST_DEBUG=1", debugVariable+"=1")
	for _, want := range []string{
		"leak: NS",
		"1 reference, from ",
		"use: objc: -[NSString length]: ",
		"over-release: objc: release: ",
		"open pool: ",
		"an autoreleased object was received outside of a pool and is never released; call objc.Pool around it",
		"unpooled: NS",
		": 2 objects, from ",
		"drained elsewhere: objc: autorelease pool opened by one goroutine, drained by another: not open on this goroutine",
	} {
		require.Contains(t, out, want)
	}
	require.Contains(t, out, "debug_test.go:")
}

func TestDebugChild(t *testing.T) {
	if os.Getenv("OBJC_TEST_DEBUG") == "" {
		t.Skip("runs in the process that TestDebugMode starts")
	}
	a := NewStrings([]string{"leaked"})
	for _, l := range Leaks() {
		if l.ID == a {
			fmt.Println("leak:", l)
		}
	}
	s := NewString("a string that is no tagged pointer")
	Release(s)
	print := func(what string, f func()) {
		defer OnFault(func(f *Fault) { fmt.Println(what+":", f) })()
		f()
	}
	print("use", func() { tm(tmLength).Call(s) })
	print("over-release", func() { Release(s) })

	for range 2 {
		Autorelease(NewStrings([]string{"not in a pool"}))
		outsidePools++
	}
	for _, line := range Unpooled() {
		fmt.Println("unpooled:", line)
	}

	p, err := NewAutoreleasePool()
	require.NoError(t, err)
	for _, site := range OpenPools() {
		fmt.Println("open pool:", site)
	}
	var wg sync.WaitGroup
	wg.Go(func() { fmt.Println("drained elsewhere:", p.Drain()) })
	wg.Wait()
	require.NoError(t, p.Drain())
	Release(a)
}
