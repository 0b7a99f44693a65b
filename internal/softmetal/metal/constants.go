package metal

import (
	"strings"

	"github.com/puremetal/puremetal/internal/softmetal/adapter"
)

// ConstantValue returns the text of a string constant. Error domains and notifications are their
// own names; counters and their sets have names that a program meets in MTLCounter.name as well.
func ConstantValue(name string) string {
	switch name {
	case "MTLCommonCounterSetTimestamp":
		return "timestamp"
	case "MTLCommonCounterSetStageUtilization":
		return "stageutilization"
	case "MTLCommonCounterSetStatistic":
		return "statistic"
	case "MTLCommonCounterTimestamp":
		return "GPUTimestamp"
	}
	if counter, ok := strings.CutPrefix(name, "MTLCommonCounter"); ok {
		return counter
	}
	return name
}

// Error domains, whose constants have themselves as values.
const (
	LibraryErrorDomain       = "MTLLibraryErrorDomain"
	CommandBufferErrorDomain = "MTLCommandBufferErrorDomain"
	deviceErrorDomain        = "MTLDeviceErrorDomain"
	CounterErrorDomain       = "MTLCounterErrorDomain"
	BinaryArchiveErrorDomain = "MTLBinaryArchiveDomain"
	DynamicLibraryDomain     = "MTLDynamicLibraryDomain"
	CaptureErrorDomain       = "MTLCaptureErrorDomain"
	LogStateErrorDomain      = "MTLLogStateErrorDomain"
	QueueErrorDomain4        = "MTL4CommandQueueErrorDomain"
	tensorErrorDomain        = "MTLTensorDomain"
	ioErrorDomain            = "MTLIOErrorDomain"
)

// FrameworkName is the name of the framework in the runtime and in its messages.
const FrameworkName = "Metal"

// Tables are the encodings of Metal's messages and functions.
var Tables = adapter.Tables{Owners: zowners[:], Functions: zfunctions[:], Own: own[:]}

// own lists messages that package compute sends and Metal does not have.
var own = [...]adapter.Owner{
	{Name: "PMSoftBuffer", Methods: []adapter.Signature{
		{Name: "givenBack", Enc: "v@:"}, {Name: "seenUses", Enc: "v@:"}, {Name: "setUsedLength:", Enc: "v@:Q"},
		{Name: "writtenRange:", Enc: "v@:{_NSRange=QQ}"},
	}},
	{Name: "PMSoftCommandBuffer", Methods: []adapter.Signature{{Name: "setWorkAccount:", Enc: "v@:Q"}}},
	{Name: "PMSoftComputePipelineState", Methods: []adapter.Signature{
		{Name: "allowCooperation", Enc: "v@:"}, {Name: "cooperation", Enc: "@@:"},
		{Name: "mayImprove:", Enc: "B@:{?=QQQ}"}, {Name: "threadgroupShapes", Enc: "@@:"},
	}},
	{Name: "PMSoftCommandQueue", Methods: []adapter.Signature{
		{Name: "cancelCommandBuffers:", Enc: "v@:@"},
		{Name: "commandBufferTimeout", Enc: "Q@:"},
		{Name: "isolate", Enc: "v@:"},
		{Name: "priority", Enc: "q@:"},
		{Name: "quietHandlers", Enc: "Q@:"},
		{Name: "setCommandBufferTimeout:", Enc: "v@:Q"},
		{Name: "setDispatchFuel:", Enc: "v@:Q"},
		{Name: "setPriority:", Enc: "v@:q"},
	}},
	{Name: "PMSoftIndirectCommandBuffer", Methods: []adapter.Signature{{Name: "seenUses", Enc: "v@:"}}},
	{Name: "PMSoftTexture", Methods: []adapter.Signature{{Name: "seenUses", Enc: "v@:"}}},
	{Name: "PMSoftDevice", Methods: []adapter.Signature{
		{Name: "arrange:", Enc: "B@:@"},
		{Name: "isSanitized", Enc: "B@:"},
		{Name: "measureThreadgroups:seed:handler:", Enc: "v@:qQ@?"},
		{Name: "runsPlain", Enc: "B@:"},
		{Name: "sanitize:handler:", Enc: "v@:Q@?"},
		{Name: "seenQueue:", Enc: "v@:Q"},
		{Name: "stopArranging", Enc: "@@:"},
		{Name: "stopMeasuring:", Enc: "v@:@?"},
		{Name: "stopSanitizing:", Enc: "v@:@?"},
	}},
	{Name: "PMSoftLogState", Methods: []adapter.Signature{
		{Name: "addLocatedLogHandler:", Enc: "v@:@?"},
		{Name: "droppedMessages", Enc: "Q@:"},
	}},
	{Name: "PMSoftCommandQueue4", Methods: []adapter.Signature{{Name: "isolate", Enc: "v@:"}}},
}

// NamedPixelFormat is a pixel format: its number, and its name without MTLPixelFormat.
type NamedPixelFormat struct {
	Value uint64
	Name  string
}
