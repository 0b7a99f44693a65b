package diag

// Codes of warnings about valid programs that probably do not mean what they say.
const (
	UnusedVariable   Code = "E1301"
	Uninitialized    Code = "E1302"
	ShiftCount       Code = "E1303"
	DivergentBarrier Code = "E1304"
	UnknownAttribute Code = "E1305"
	DanglingReturn   Code = "E1306"
	Assignment       Code = "E1307"
	NegativeShift    Code = "E1308"
	ThreadgroupSize  Code = "E1309"

	SignCompare        Code = "E1310"
	SelfCompare        Code = "E1311"
	OutOfRangeCompare  Code = "E1312"
	LiteralConversion  Code = "E1313"
	ConstantConversion Code = "E1314"
	IntegerToFloat     Code = "E1315"
	FloatToInteger     Code = "E1316"
)

var warnCodes = []Info{
	{UnusedVariable, "a local variable that is never used"},
	{Uninitialized, "a variable that is read before it is written"},
	{ShiftCount, "a constant shift count that is not less than the width"},
	{DivergentBarrier, "a barrier that only some threads of a threadgroup may reach"},
	{UnknownAttribute, "an unknown attribute, which is ignored"},
	{DanglingReturn, "a function that returns a pointer or reference to a local variable"},
	{Assignment, "an assignment used as a condition, without extra parentheses"},
	{NegativeShift, "a constant shift count that is negative"},
	{ThreadgroupSize, "a kernel that declares more threadgroup memory than any Mac GPU has"},
	{SignCompare, "a comparison that converts a possibly negative signed integer to unsigned"},
	{SelfCompare, "a comparison of an integer with itself"},
	{OutOfRangeCompare, "a comparison with a constant outside the range of the other operand's type"},
	{LiteralConversion, "an implicit conversion of a floating-point constant that changes its value"},
	{ConstantConversion, "an implicit conversion of an integer constant that changes its value"},
	{IntegerToFloat, "an implicit conversion of an integer constant to a floating-point type that rounds it"},
	{FloatToInteger, "an implicit conversion of a floating-point number to an integer type"},
}
