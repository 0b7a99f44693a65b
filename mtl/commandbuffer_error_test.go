package mtl

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/standin"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Variables of the stand-in frameworks: every n-th command buffer fails with a code, and every n-th
// allocation of a buffer or heap fails.
const (
	failVariable           = "VMAC_FAIL_COMMAND"
	failAllocationVariable = "VMAC_FAIL_ALLOC"
)

// TestFailedCommandBuffer makes command buffers fail, in a separate process.
func TestFailedCommandBuffer(t *testing.T) {
	failsOnDemand(t)
	for _, how := range []struct{ value, test string }{{"1:9", "InvalidResource"}, {"2:2", "Timeout"}} {
		t.Run(how.test, func(t *testing.T) {
			rerun(t, "TestFailsWith"+how.test, failVariable+"="+how.value, "PUREMETAL_SOFTWARE_FAULTS=command="+how.value)
		})
	}
}

// failsOnDemand skips a test on a real GPU, which cannot be told to fail.
func failsOnDemand(t *testing.T) {
	t.Helper()
	if d, err := objc.CurrentDriver(); (err != nil || d != objc.DriverSoftware) && !standin.Running() {
		t.Skip("only the software device and the stand-in frameworks fail on demand")
	}
}

// rerun runs one test of this package in a separate process, with more environment variables, and
// requires it to pass.
func rerun(t *testing.T, test string, env ...string) {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	c := exec.Command(exe, "-test.run=^"+test+"$", "-test.v")
	c.Env = append(os.Environ(), env...)
	out, err := c.CombinedOutput()
	if notStarted(err) {
		t.Skipf("this system does not start the test's own binary: %v; run %s go test -run %s", err,
			strings.Join(env, " "), test)
	}
	require.NoError(t, err, "%s", out)
	assert.Contains(t, string(out), "--- PASS: "+test)
}

// notStarted reports whether a program could not be started at all.
func notStarted(err error) bool {
	var exit *exec.ExitError
	return err != nil && !errors.As(err, &exit)
}

func TestFailsWithInvalidResource(t *testing.T) {
	if os.Getenv(failVariable) != "1:9" {
		t.Skipf("needs %s=1:9; TestFailedCommandBuffer sets it", failVariable)
	}
	r := newRig(t)
	d, err := NewCommandBufferDescriptor()
	require.NoError(t, err)
	defer d.Release()
	d.SetErrorOptions(CommandBufferErrorOptionEncoderExecutionStatus)
	b, err := r.queue.CommandBufferWithDescriptor(d)
	require.NoError(t, err)
	b.SetLabel("doomed")
	e, err := b.ComputeCommandEncoder()
	require.NoError(t, err)
	e.SetLabel("the encoder")
	require.NoError(t, e.InsertDebugSignpost("here"))
	require.NoError(t, e.EndEncoding())
	var handlerErr error
	require.NoError(t, b.AddCompletedHandler(func(b CommandBuffer) { handlerErr = b.Err() }))
	require.NoError(t, b.Commit())
	err = b.Wait(t.Context())

	var failed *CommandError
	require.ErrorAs(t, err, &failed)
	assert.Equal(t, CommandBufferErrorInvalidResource, failed.Code)
	assert.Equal(t, "doomed", failed.Label)
	require.ErrorIs(t, err, CommandBufferErrorInvalidResource)
	assert.NotErrorIs(t, err, CommandBufferErrorTimeout)
	var cause *objc.Error
	require.ErrorAs(t, err, &cause)
	assert.Equal(t, "MTLCommandBufferErrorDomain", cause.Domain)
	assert.ErrorContains(t, err, `command buffer "doomed" failed: Invalid Resource`)
	require.Len(t, failed.Encoders, 1)
	assert.Equal(t, EncoderError{Label: "the encoder", State: CommandEncoderErrorStateAffected, Signposts: []string{}},
		failed.Encoders[0])
	assert.ErrorContains(t, err, `encoder "the encoder": CommandEncoderErrorStateAffected`)
	require.ErrorAs(t, handlerErr, &failed)
	assert.Equal(t, CommandBufferStatusError, b.Status())
	require.ErrorAs(t, b.Err(), &failed)
	require.ErrorAs(t, b.WaitUntilCompleted(), &failed)
}

func TestFailsWithTimeout(t *testing.T) {
	if os.Getenv(failVariable) != "2:2" {
		t.Skipf("needs %s=2:2; TestFailedCommandBuffer sets it", failVariable)
	}
	r := newRig(t)
	r.run(r.commands())
	b := r.commands()
	require.NoError(t, b.Commit())
	err := b.Wait(t.Context())
	require.ErrorIs(t, err, CommandBufferErrorTimeout)
	var failed *CommandError
	require.ErrorAs(t, err, &failed)
	assert.Empty(t, failed.Encoders, "without the option")
	assert.ErrorContains(t, err, "mtl: command buffer failed: ")
	r.run(r.commands())
}

func TestCommandErrorText(t *testing.T) {
	e := &CommandError{Code: CommandBufferErrorPageFault, Err: &objc.Error{Domain: "d", Code: 3, Description: "fault"},
		Encoders: []EncoderError{
			{Label: "a", State: CommandEncoderErrorStateCompleted}, {Label: "b", State: CommandEncoderErrorStateFaulted},
		}}
	assert.EqualError(t, e, `mtl: command buffer failed: fault (d 3); encoder "b": CommandEncoderErrorStateFaulted`)
	assert.ErrorIs(t, e, CommandBufferErrorPageFault)
	assert.EqualError(t, CommandBufferErrorPageFault, "mtl: command buffer failed: CommandBufferErrorPageFault")
}

// TestErrSendsErrorOnce reads the error of a command buffer that counts the messages it receives.
func TestErrSendsErrorOnce(t *testing.T) {
	clean(t)
	rt, err := objc.SoftwareRuntime()
	if err != nil {
		t.Skipf("runs on the software runtime: %v", err)
	}
	cause := objc.NewError(&objc.Error{Domain: "MTLCommandBufferErrorDomain", Code: int(CommandBufferErrorPageFault)})
	defer objc.Release(cause)
	const name = "FailedCommandBuffer"
	if rt.Class(name) == nil { // with -count, a run before this one has registered it
		spec := objcsoft.ClassSpec{Name: name}
		for sel, enc := range map[string]string{"status": "Q@:", "label": "@@:", "error": "@@:"} {
			spec.Methods = append(spec.Methods, objcsoft.MethodSpec{Sel: sel, Enc: enc, Imp: func(c *objcsoft.Call) {
				c.ReturnWords(c.Self.Payload.(func(string) uintptr)(sel))
			}})
		}
		_, err := rt.Register(spec)
		require.NoError(t, err)
	}
	sent := map[string]int{}
	id := objc.ID(rt.NewObject(rt.Class(name), func(sel string) uintptr {
		sent[sel]++
		return map[string]uintptr{"status": uintptr(CommandBufferStatusError), "error": cause.Word()}[sel]
	}))
	defer objc.Release(id)

	require.ErrorIs(t, CommandBufferFrom(id).Err(), CommandBufferErrorPageFault)
	assert.Equal(t, map[string]int{"status": 1, "label": 1, "error": 1}, sent)
}
