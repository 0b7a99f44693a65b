// Package extension lists all that the software device offers beyond Metal: the messages that its
// objects understand and Metal's do not have. Packages compute and analyze send them by package
// client, and internal/softmetal answers them.
//
// Arguments and results are words, structures, strings (@) and blocks (@?), as the encodings say.
// Structured values are passed as JSON in a string. The comment names their Go type, which both
// sides use.
//
// The tests that the messages are understood as declared are in internal/softmetal.
package extension

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/puremetal/puremetal/internal/typeenc"
)

// Classes of the software device that have messages of their own.
const (
	buffer        = "PMSoftBuffer"
	commandBuffer = "PMSoftCommandBuffer"
	commandQueue  = "PMSoftCommandQueue"
	commandQueue4 = "PMSoftCommandQueue4"
	commands      = "PMSoftIndirectCommandBuffer"
	device        = "PMSoftDevice"
	logState      = "PMSoftLogState"
	pipeline      = "PMSoftComputePipelineState"
	texture       = "PMSoftTexture"
)

// Limits and cancellation.
var (
	// SetPriority sets the priority of a queue's work: -1, 0 or 1. Priority returns it.
	SetPriority = typeenc.Message{Class: commandQueue, Selector: "setPriority:", Encoding: "v@:q"}
	Priority    = typeenc.Message{Class: commandQueue, Selector: "priority", Encoding: "q@:"}
	// SetTimeout limits the time of each command buffer of a queue, in nanoseconds; 0 is no limit.
	// Timeout returns the limit.
	SetTimeout = typeenc.Message{Class: commandQueue, Selector: "setCommandBufferTimeout:", Encoding: "v@:Q"}
	Timeout    = typeenc.Message{Class: commandQueue, Selector: "commandBufferTimeout", Encoding: "Q@:"}
	// SetFuel limits the work of each dispatch of a queue, in units of the work budget.
	SetFuel = typeenc.Message{Class: commandQueue, Selector: "setDispatchFuel:", Encoding: "v@:Q"}
	// SetAccount numbers a command buffer. Consecutive ones with the same number share the work of
	// one dispatch.
	SetAccount = typeenc.Message{Class: commandBuffer, Selector: "setWorkAccount:", Encoding: "v@:Q"}
	// Cancel cancels the committed command buffers of a queue, for a reason.
	Cancel = typeenc.Message{Class: commandQueue, Selector: "cancelCommandBuffers:", Encoding: "v@:@"}
	// Isolate confines the kernels of a queue to what launches bind.
	Isolate  = typeenc.Message{Class: commandQueue, Selector: "isolate", Encoding: "v@:"}
	Isolate4 = typeenc.Message{Class: commandQueue4, Selector: "isolate", Encoding: "v@:"}
)

// Compilations, which Metal's interface neither cancels nor trusts.
var (
	// BeginCompilation announces a compilation, by its [CompilationKey], and returns a ticket.
	// EndCompilation, with the ticket, follows the answer of Metal's message. CancelCompilation
	// between the two says that the caller does not need the answer any more: once nobody does,
	// the compiler stops.
	BeginCompilation  = typeenc.Message{Class: device, Selector: "beginCompilation:", Encoding: "Q@:@"}
	CancelCompilation = typeenc.Message{Class: device, Selector: "cancelCompilation:", Encoding: "v@:Q"}
	EndCompilation    = typeenc.Message{Class: device, Selector: "endCompilation:", Encoding: "v@:Q"}
	// TrustArchive says that the content with a SHA-256, in hexadecimal digits, is this user's own
	// work: compiled code is used only from such archives. DistrustArchive ends that.
	TrustArchive    = typeenc.Message{Class: device, Selector: "trustArchive:", Encoding: "v@:@"}
	DistrustArchive = typeenc.Message{Class: device, Selector: "distrustArchive:", Encoding: "v@:@"}
)

// CompilationKey identifies a compilation by the receiver of Metal's message, a device or library,
// and by what is compiled: source text, or a function's name.
func CompilationKey(receiver uintptr, what string) string {
	sum := sha256.Sum256([]byte(what))
	return fmt.Sprintf("%x %s", receiver, hex.EncodeToString(sum[:]))
}

// Threadgroups and grid barriers.
var (
	// ThreadgroupShapes returns how accesses follow the axes of the grid: a [ShapeReport].
	ThreadgroupShapes = typeenc.Message{Class: pipeline, Selector: "threadgroupShapes", Encoding: "@@:"}
	// MayImprove returns whether launches with a threadgroup may yet get faster, because machine
	// code for it is still being made.
	MayImprove = typeenc.Message{Class: pipeline, Selector: "mayImprove:", Encoding: "B@:{?=QQQ}"}
	// RunsPlain returns whether launches run at full speed and in the usual order, so that their
	// times mean something.
	RunsPlain = typeenc.Message{Class: device, Selector: "runsPlain", Encoding: "B@:"}
	// Cooperation returns what a pipeline knows of grid barriers: a [CooperationReport].
	Cooperation = typeenc.Message{Class: pipeline, Selector: "cooperation", Encoding: "@@:"}
	// AllowCooperation says that the program launches the pipeline for its grid barriers.
	AllowCooperation = typeenc.Message{Class: pipeline, Selector: "allowCooperation", Encoding: "v@:"}
	// Arrange makes launches run in an order, a schedule.Order, and returns NO if somebody else
	// has not ended what they have begun. StopArranging ends that, and returns the sizes of the
	// launches since then: a []schedule.Size.
	Arrange       = typeenc.Message{Class: device, Selector: "arrange:", Encoding: "B@:@"}
	StopArranging = typeenc.Message{Class: device, Selector: "stopArranging", Encoding: "@@:"}
)

// ShapeReport says how a pipeline's accesses follow the axes of the grid, by which package compute
// chooses threadgroups.
type ShapeReport struct {
	// Free: results do not depend on the shape of threadgroups.
	Free     bool
	Accesses []ShapeAccess `json:",omitempty"` // if Free
}

// ShapeAccess is an access of device or constant memory whose addresses depend on the position.
type ShapeAccess struct {
	Weight int    // how often it is executed, relative to others
	Size   int    // bytes of a thread
	Stride [3]int // bytes between neighbors along each axis, FarStride if it is not known to be less
}

// FarStride means that neighbors share no cache line.
const FarStride = 1 << 20

// CooperationReport is what a pipeline knows of its grid barriers.
type CooperationReport struct {
	Phases   int    // 0 for a kernel without grid barriers, -1 for any number of phases
	Wrong    string // why the kernel cannot be launched, "" if it can
	Launches int64
	Last     LastCooperation
}

// LastCooperation is the last launch of a pipeline for its grid barriers.
type LastCooperation struct {
	Phases int64
	Times  []time.Duration
	Bytes  int64
}

// The sanitizer and the analyzer.
var (
	// Sanitize begins to look for kinds of mistakes (sanitizer.Kinds), and calls a block with each
	// finding, a sanitizer.Finding, and the number of its queue. StopSanitizing ends that, by the
	// block.
	Sanitize       = typeenc.Message{Class: device, Selector: "sanitize:handler:", Encoding: "v@:Q@?"}
	StopSanitizing = typeenc.Message{Class: device, Selector: "stopSanitizing:", Encoding: "v@:@?"}
	IsSanitized    = typeenc.Message{Class: device, Selector: "isSanitized", Encoding: "B@:"}
	// SetUsedLength says how many bytes of a buffer belong to the program.
	SetUsedLength = typeenc.Message{Class: buffer, Selector: "setUsedLength:", Encoding: "v@:Q"}
	// QuietHandlers says that completed handlers of a queue tell the program nothing, and returns
	// the queue's number.
	QuietHandlers = typeenc.Message{Class: commandQueue, Selector: "quietHandlers", Encoding: "Q@:"}
	// SeenQueue says that the program has seen the end of all that has ended on a queue, by its
	// number; the others, of all that has used a resource.
	SeenQueue          = typeenc.Message{Class: device, Selector: "seenQueue:", Encoding: "v@:Q"}
	SeenUses           = typeenc.Message{Class: buffer, Selector: "seenUses", Encoding: "v@:"}
	SeenUsesOfTexture  = typeenc.Message{Class: texture, Selector: "seenUses", Encoding: "v@:"}
	SeenUsesOfCommands = typeenc.Message{Class: commands, Selector: "seenUses", Encoding: "v@:"}
	// GivenBack says that a buffer goes back to a pool, WrittenRange that the program writes a
	// part.
	GivenBack    = typeenc.Message{Class: buffer, Selector: "givenBack", Encoding: "v@:"}
	WrittenRange = typeenc.Message{Class: buffer, Selector: "writtenRange:", Encoding: "v@:{_NSRange=QQ}"}
	// Measure begins to call a block with what each launch does, an event.Launch: of so many
	// threadgroups, all for 0, chosen by a seed. StopMeasuring ends that, by the block.
	Measure = typeenc.Message{Class: device, Selector: "measureThreadgroups:seed:handler:",
		Encoding: "v@:qQ@?"}
	StopMeasuring = typeenc.Message{Class: device, Selector: "stopMeasuring:", Encoding: "v@:@?"}
)

// Logs of kernels.
var (
	// AddLocatedLogHandler adds a handler that also gets the position of a message: a
	// [LocatedLogBlock].
	AddLocatedLogHandler = typeenc.Message{Class: logState, Selector: "addLocatedLogHandler:", Encoding: "v@:@?"}
	// DroppedMessages returns how many messages had no room.
	DroppedMessages = typeenc.Message{Class: logState, Selector: "droppedMessages", Encoding: "Q@:"}
)

// LocatedLogBlock is the encoding of the block for AddLocatedLogHandler. Its arguments are those of
// Metal's handlers (subsystem, category, level and text), followed by file, line, and the thread's
// x, y and z.
const LocatedLogBlock = "v@?@@q@@QQQQ"

// Table has all messages.
var Table = [...]*typeenc.Message{
	&SetPriority, &Priority, &SetTimeout, &Timeout, &SetFuel, &SetAccount, &Cancel, &Isolate, &Isolate4,
	&BeginCompilation, &CancelCompilation, &EndCompilation, &TrustArchive, &DistrustArchive,
	&ThreadgroupShapes, &MayImprove, &RunsPlain, &Cooperation, &AllowCooperation, &Arrange, &StopArranging,
	&Sanitize, &StopSanitizing, &IsSanitized, &SetUsedLength, &QuietHandlers, &SeenQueue, &SeenUses,
	&SeenUsesOfTexture, &SeenUsesOfCommands, &GivenBack, &WrittenRange, &Measure, &StopMeasuring,
	&AddLocatedLogHandler, &DroppedMessages,
}
