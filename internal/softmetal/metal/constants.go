package metal

import (
	"strings"

	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/extension"
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
var Tables = adapter.Tables{Owners: zowners[:], Functions: zfunctions[:], Extensions: extension.Table[:]}

// NamedPixelFormat is a pixel format: its number, and its name without MTLPixelFormat.
type NamedPixelFormat struct {
	Value uint64
	Name  string
}
