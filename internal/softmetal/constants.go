package softmetal

import (
	"strings"

	"github.com/puremetal/puremetal/internal/softmetal/adapter"
)

// constantValue returns the text of a string constant. Error domains and notifications are their own names; counters and their
// sets have names that a program meets in MTLCounter.name as well.
func constantValue(name string) string {
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
	libraryErrorDomain       = "MTLLibraryErrorDomain"
	commandBufferErrorDomain = "MTLCommandBufferErrorDomain"
	deviceErrorDomain        = "MTLDeviceErrorDomain"
	counterErrorDomain       = "MTLCounterErrorDomain"
	binaryArchiveErrorDomain = "MTLBinaryArchiveDomain"
	dynamicLibraryDomain     = "MTLDynamicLibraryDomain"
	captureErrorDomain       = "MTLCaptureErrorDomain"
	logStateErrorDomain      = "MTLLogStateErrorDomain"
	queueErrorDomain4        = "MTL4CommandQueueErrorDomain"
	tensorErrorDomain        = "MTLTensorDomain"
	ioErrorDomain            = "MTLIOErrorDomain"
)

// frameworkName is the name of the framework in the runtime and in its messages.
const frameworkName = "Metal"

// metalTables are the encodings of Metal's messages and functions.
var metalTables = adapter.Tables{Owners: zowners[:], Functions: zfunctions[:]}

// zformat is a pixel format: its number, and its name without MTLPixelFormat.
type zformat struct {
	value uint64
	name  string
}
