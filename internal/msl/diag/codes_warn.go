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

	Precedence         Code = "E1320"
	ShiftPrecedence    Code = "E1321"
	DanglingElse       Code = "E1322"
	ExtraParentheses   Code = "E1323"
	NotPrecedence      Code = "E1324"
	EmptyBody          Code = "E1325"
	SwitchEnum         Code = "E1326"
	SwitchBool         Code = "E1327"
	LogicalConstant    Code = "E1328"
	Unsequenced        Code = "E1329"
	IntegerOverflow    Code = "E1330"
	ShiftOverflow      Code = "E1331"
	ShiftNegative      Code = "E1332"
	XorAsPower         Code = "E1333"
	EnumCompare        Code = "E1334"
	EnumCompareSwitch  Code = "E1335"
	LiteralRange       Code = "E1336"
	AlwaysTrue         Code = "E1337"
	UnusedComparison   Code = "E1338"
	SizeofPointer      Code = "E1339"
	MultipleCharacters Code = "E1340"
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
	{Precedence, "a comparison beside &, | or ^, which is evaluated first"},
	{ShiftPrecedence, "a sum beside a shift operator, which is evaluated first"},
	{DanglingElse, "an else that belongs to the inner of two ifs without braces"},
	{ExtraParentheses, "a condition ==, which could be a mistyped =, in two pairs of parentheses"},
	{NotPrecedence, "a ! that applies only to the left operand of a comparison or &"},
	{EmptyBody, "a semicolon on the same line as if, for or while, which is then its whole body"},
	{SwitchEnum, "a switch over an enum that lacks an enumerator, or has a label that is not one"},
	{SwitchBool, "a switch over a condition of type bool"},
	{LogicalConstant, "an integer constant as the right operand of && or ||, perhaps meant as & or |"},
	{Unsequenced, "a variable that an expression changes and uses in no fixed order"},
	{IntegerOverflow, "arithmetic on signed integer constants that overflows"},
	{ShiftOverflow, "a signed constant shifted beyond the bits of its type"},
	{ShiftNegative, "a negative constant shifted to the left"},
	{XorAsPower, "a ^ between decimal constants that looks like a power"},
	{EnumCompare, "a comparison of values of two different enums"},
	{EnumCompareSwitch, "a case label of another enum than the one switched over"},
	{LiteralRange, "a floating-point literal that is too large or too small for its type"},
	{AlwaysTrue, "the address of a variable or an array as a condition, which is always true"},
	{UnusedComparison, "a comparison whose result is not used"},
	{SizeofPointer, "the size of a pointer divided by that of what it points to, perhaps meant as an array's length"},
	{MultipleCharacters, "a character literal of several characters"},
}
