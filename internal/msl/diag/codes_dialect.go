package diag

// Codes of what OpenCL C and CUDA C++ have and Metal has not.
const (
	DialectDouble  Code = "T0001"
	DialectWide    Code = "T0002"
	DialectFeature Code = "T0003"
	// Warnings.
	DialectInstance Code = "T0004"
	DialectLiteral  Code = "T0005"
	// DialectFloat warns of a line that computes in float what the source computes in double.
	DialectFloat Code = "T0012"
	// Of kernels in Go.
	GoError  Code = "T0020"
	GoSubset Code = "T0021"
)

var dialectCodes = []Info{
	{DialectDouble, "double in OpenCL C or CUDA C++: Metal has no numbers of 64 bits with a point"},
	{DialectWide, "an atomic operation on 64 bits in OpenCL C or CUDA C++"},
	{DialectFeature, "a feature of OpenCL C or CUDA C++ that Metal does not have"},
	{DialectInstance, "a kernel of CUDA C++ that is a template, and no launch in the file says for which arguments"},
	{DialectLiteral, "a literal of CUDA C++ without a suffix, which is float here and double there"},
	{GoError, "an error of the Go compiler in a kernel, or in a function that it calls"},
	{GoSubset, "something that Go has and kernels do not; the message says what to do"},
	{DialectFloat, "a function of CUDA C++ that is double because an argument is an integer, and float here"},
}
