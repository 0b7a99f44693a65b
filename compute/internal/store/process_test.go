package store

import (
	"bufio"
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The environment of the processes that the tests start: this binary again.
const (
	envDir  = "PUREMETAL_TEST_STORE"
	envSeed = "PUREMETAL_TEST_STORE_SEED"
	envDie  = "PUREMETAL_TEST_STORE_DIE"
)

// When a process dies: before it has written anything, with a part of the file written and the file
// open, with all of it written.
const (
	dieBefore = "before"
	dieWithin = "within"
	dieBehind = "behind"
)

// TestHelperProcess is what the other processes run: it uses a folder, and dies in the middle of a
// write if told to.
func TestHelperProcess(t *testing.T) {
	dir := os.Getenv(envDir)
	if dir == "" {
		return // a test like others: there is nothing to do
	}
	seed, err := strconv.Atoi(os.Getenv(envSeed))
	require.NoError(t, err)
	s := New(dir, 1000, (&clock{}).now, slog.New(slog.DiscardHandler))
	for i := range 60 {
		work(t, s, (i*7+seed*3)%20)
	}
	when := os.Getenv(envDie)
	if when == "" {
		return
	}
	_ = s.Add(keyOf(1000+seed), func(path string) error {
		switch when {
		case dieBefore:
		case dieWithin:
			f, err := os.Create(path)
			if err != nil {
				return err
			}
			if _, err := f.Write(content(0, 50)[:20]); err != nil {
				return err
			}
		default:
			if err := os.WriteFile(path, content(0, 50), 0o600); err != nil {
				return err
			}
		}
		self, err := os.FindProcess(os.Getpid())
		if err != nil {
			return err
		}
		if err := self.Kill(); err != nil {
			return err
		}
		select {} // the end comes at once, but not before the call returns
	})
	t.Error("still alive")
}

// TestProcesses: processes use one folder, half of them are killed before, in the middle of, or
// behind writing a file that they do not get to publish, and files are damaged in between. What is
// found is always right, and what the killed have left goes when it is old.
func TestProcesses(t *testing.T) {
	dir := t.TempDir()
	const processes = 4
	deaths := []string{dieBefore, dieWithin, dieBehind, dieWithin}
	for round := range 2 {
		var commands []*exec.Cmd
		var outputs [processes]bytes.Buffer
		for n := range processes {
			c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHelperProcess$")
			c.Env = append(os.Environ(), envDir+"="+dir, envSeed+"="+fmt.Sprint(n+round))
			if n%2 == 1 {
				c.Env = append(c.Env, envDie+"="+deaths[round*2+n/2])
			}
			c.Stdout = &outputs[n]
			require.NoError(t, c.Start())
			commands = append(commands, c)
		}
		for n, c := range commands {
			err := c.Wait()
			if n%2 == 0 {
				require.NoError(t, err, "process %d: %v", n, &outputs[n])
			} else {
				require.Error(t, err, "process %d", n)
				require.NotContains(t, outputs[n].String(), "FAIL", "process %d was to be killed", n)
			}
		}
		r := newRig(t, dir, 1000)
		all := r.entries()
		require.NotEmpty(t, all)
		require.NoError(t, os.Truncate(all[0].path, 10)) // the next round meets it
	}
	r := newRig(t, dir, 1000)
	for n := range 20 {
		r.has(n, 100) // right if there
	}
	for n := range processes + 2 {
		assert.False(t, r.has(1000+n, 50), "what was not written whole")
	}
	left := func() int {
		list, err := os.ReadDir(filepath.Join(dir, tempDir))
		require.NoError(t, err)
		return len(list)
	}
	require.Equal(t, processes, left(), "two rounds, half of the processes of each")
	r.clock.seconds.Store(0)
	r.add(1, 100)
	require.Equal(t, processes, left(), "still young") // the clock is long before the files' time
	late := newRig(t, dir, 1000)
	late.clock.pass(100 * 365 * 24 * time.Hour)
	late.add(2, 100)
	assert.Zero(t, left())
	assert.True(t, late.has(2, 100))
	assert.LessOrEqual(t, late.bytes(), int64(1000), "what all of them have written")
}

// TestKilledAnywhere kills processes from outside, wherever they are: what they have published is
// whole, and others go on.
func TestKilledAnywhere(t *testing.T) {
	dir := t.TempDir()
	for n := range 6 {
		c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestEndlessProcess$")
		c.Env = append(os.Environ(), envEndless+"="+dir)
		out, err := c.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, c.Start())
		lines := bufio.NewScanner(out)
		for range 3 + 7*n { // a line for each entry
			require.True(t, lines.Scan(), "the process has ended: %v", lines.Err())
		}
		require.NoError(t, c.Process.Kill())
		require.Error(t, c.Wait())
		r := newRig(t, dir, 1000)
		found := 0
		for k := range 30 {
			if r.has(k, 100) {
				found++
			}
		}
		assert.Positive(t, found)
		assert.Zero(t, r.Stats().Healed, "an entry was published that is not whole")
		r.add(n, 100)
		assert.True(t, r.has(n, 100))
		assert.LessOrEqual(t, r.bytes(), int64(1000))
	}
}

// envEndless has the folder of a process that TestKilledAnywhere kills.
const envEndless = "PUREMETAL_TEST_STORE_ENDLESS"

// TestEndlessProcess is what it runs.
func TestEndlessProcess(t *testing.T) {
	dir := os.Getenv(envEndless)
	if dir == "" {
		return
	}
	s := New(dir, 1000, (&clock{}).now, slog.New(slog.DiscardHandler))
	for i := 0; ; i++ {
		if err := s.Add(keyOf(i%30), writes(content(i%30, 100))); err != nil {
			t.Fatal(err)
		}
		fmt.Println(i)
	}
}
