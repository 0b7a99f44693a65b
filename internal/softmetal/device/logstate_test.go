package device

import (
	"bytes"
	"io"
	"log/slog"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/journal"
)

// logged returns what f writes to the program's log, and to the standard error.
func logged(t *testing.T, f func()) (log, stderr string) {
	t.Helper()
	var b bytes.Buffer
	before := slog.Default()
	defer slog.SetDefault(before)
	slog.SetDefault(slog.New(slog.NewTextHandler(&b,
		&slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}})))
	r, w, err := os.Pipe()
	require.NoError(t, err)
	old := os.Stderr
	os.Stderr = w
	defer func() { os.Stderr = old }()
	f()
	require.NoError(t, w.Close())
	text, err := io.ReadAll(r)
	require.NoError(t, err)
	return b.String(), string(text)
}

// TestUnhandledMessages: messages that nobody handles go to the program's log, or to the standard
// error if the environment says so.
func TestUnhandledMessages(t *testing.T) {
	l := &logState{Journal: journal.New(ir.LogDebug, 2048)}
	entries := []journal.Entry{{Log: ir.Log{Subsystem: "s", Category: "c"}, Level: ir.LogFault, Text: "it broke",
		File: "a.metal", Line: 3, Thread: [3]int{1, 2, 3}},
		{Level: ir.LogDebug, Text: "small"}}
	log, stderr := logged(t, func() { l.Deliver(entries, 7) })
	assert.Equal(t, "level=ERROR+4 msg=\"it broke\" subsystem=s category=c file=a.metal line=3 thread=\"[1 2 3]\"\n"+
		"level=DEBUG msg=small subsystem=\"\" category=\"\" file=\"\" line=0 thread=\"[0 0 0]\"\n"+
		"level=WARN msg=\"software device: 7 messages were dropped: the log's buffer has 2048 bytes\"\n", log)
	assert.Empty(t, stderr)
	t.Setenv(logStderrVariable, "1")
	log, stderr = logged(t, func() { l.Deliver(entries, 7) })
	assert.Empty(t, log)
	assert.Equal(t, "[s:c] fault: it broke\n[:] debug: small\n7 messages were dropped: the log's buffer has 2048 bytes\n",
		stderr)
}

// TestEnvironmentLog: either variable has command buffers without a log state log; what is no value
// is told.
func TestEnvironmentLog(t *testing.T) {
	t.Setenv(logLevelVariable, "")
	t.Setenv(logSizeVariable, "")
	assert.Nil(t, environmentLog(nil))
	for _, k := range []struct {
		level, size string
		want        *journal.Journal
		wrong       string
	}{
		{"MTLLogLevelDebug", "", journal.New(ir.LogDebug, 1024), ""},
		{"MTLLogLevelInfo", "", journal.New(ir.LogInfo, 1024), ""},
		{"MTLLogLevelNotice", "4096", journal.New(ir.LogNotice, 4096), ""},
		{"MTLLogLevelError", "", journal.New(ir.LogError, 1024), ""},
		{"MTLLogLevelFault", "1073741824", journal.New(ir.LogFault, 1<<30), ""},
		{"", "2048", journal.New(ir.LogDebug, 2048), ""},
		{"loud", "", journal.New(ir.LogDebug, 1024), "value=loud"},
		{"", "1023", journal.New(ir.LogDebug, 1024), "from 1024 to 1073741824"},
		{"", "much", journal.New(ir.LogDebug, 1024), "value=much"},
	} {
		t.Setenv(logLevelVariable, k.level)
		t.Setenv(logSizeVariable, k.size)
		log, _ := logged(t, func() { assert.Equal(t, k.want, environmentLog(nil).Journal) })
		if k.wrong == "" {
			assert.Empty(t, log)
		} else {
			assert.Contains(t, log, k.wrong)
		}
	}
}

// TestDroppedMessages: a handler of Metal's is not told what was dropped, so the program's log is;
// one that gets the place of messages asks.
func TestDroppedMessages(t *testing.T) {
	for _, located := range []bool{false, true} {
		rt := objcsoft.New()
		block, err := rt.NewBlock("v@?", func([]uintptr) uintptr { return 0 })
		require.NoError(t, err)
		l := &logState{rt: rt, Journal: journal.New(ir.LogDebug, 2048)}
		if located {
			l.located = append(l.located, block)
		} else {
			l.blocks = append(l.blocks, block)
		}
		log, _ := logged(t, func() {
			l.Deliver(nil, 2)
			l.Deliver(nil, 0)
			l.Deliver(nil, 5)
		})
		assert.Equal(t, located, log == "", log)
		assert.EqualValues(t, 7, l.dropped.Load())
	}
}
