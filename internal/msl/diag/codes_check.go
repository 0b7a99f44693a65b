package diag

// Codes of the checker. Numbers are never reused with another meaning.
const (
	UndeclaredName         Code = "E1100"
	UndeclaredType         Code = "E1101"
	UndeclaredNamespace    Code = "E1102"
	AddressOfComponent     Code = "E1103"
	AmbiguousCall          Code = "E1104"
	AmbiguousFunction      Code = "E1105"
	AmbiguousMember        Code = "E1106"
	AmbiguousPartial       Code = "E1107"
	ArgumentCount          Code = "E1108"
	ArgumentSpace          Code = "E1109"
	ArgumentType           Code = "E1110"
	ArrayBound             Code = "E1111"
	AsType                 Code = "E1112"
	AssignArray            Code = "E1113"
	AssignConst            Code = "E1114"
	AtomicAccess           Code = "E1115"
	AttributeArgs          Code = "E1116"
	AttributeClash         Code = "E1117"
	AttributeMisplaced     Code = "E1118"
	AttributeType          Code = "E1119"
	AutoRecursion          Code = "E1120"
	BadAlignment           Code = "E1121"
	BadArray               Code = "E1122"
	BadAuto                Code = "E1123"
	BadBase                Code = "E1124"
	BadBitField            Code = "E1125"
	BadCast                Code = "E1126"
	BadEnum                Code = "E1127"
	BadField               Code = "E1128"
	BadIndex               Code = "E1129"
	BadInit                Code = "E1130"
	BadLibraryType         Code = "E1131"
	BadOperands            Code = "E1132"
	BadOverload            Code = "E1133"
	BadRange               Code = "E1134"
	BadReference           Code = "E1135"
	BadResult              Code = "E1136"
	BadSwizzle             Code = "E1137"
	BindTemporary          Code = "E1138"
	BindingCount           Code = "E1139"
	BraceAsValue           Code = "E1140"
	BypassedInit           Code = "E1267"
	CallOfKernel           Code = "E1141"
	CaseRange              Code = "E1142"
	ComponentCount         Code = "E1143"
	CondTypes              Code = "E1144"
	Deprecated             Code = "E1145"
	DivisionByZero         Code = "E1146"
	DropsConst             Code = "E1147"
	DuplicateCase          Code = "E1148"
	DuplicateKernel        Code = "E1149"
	EmptyFold              Code = "E1150"
	ExprDepth              Code = "E1151"
	FieldSpace             Code = "E1152"
	FieldWithoutObject     Code = "E1153"
	FunctionAsValue        Code = "E1154"
	FunctionConstantInit   Code = "E1155"
	FunctionConstantType   Code = "E1156"
	GlobalSpace            Code = "E1157"
	IncompleteType         Code = "E1158"
	IndexClash             Code = "E1159"
	IndexLimit             Code = "E1160"
	IndexOrder             Code = "E1290"
	IndexRange             Code = "E1161"
	InstantiationCount     Code = "E1162"
	InstantiationDepth     Code = "E1163"
	KernelResult           Code = "E1164"
	LambdaCapture          Code = "E1165"
	LateSpecialization     Code = "E1166"
	LocalSpace             Code = "E1167"
	ManySpaces             Code = "E1168"
	MethodWithoutObject    Code = "E1169"
	MissingReturn          Code = "E1170"
	MissingTemplateArgs    Code = "E1171"
	Narrowing              Code = "E1172"
	NeedsVersion           Code = "E1173"
	NoConstructor          Code = "E1175"
	NoConversion           Code = "E1176"
	NoDouble               Code = "E1177"
	NoElvis                Code = "E1179"
	NoLongLong             Code = "E1266"
	NoMatchingFunction     Code = "E1181"
	NoMember               Code = "E1182"
	NoMemberNamed          Code = "E1183"
	NoMemberPointers       Code = "E1184"
	NoPackToExpand         Code = "E1186"
	NoTemplateToSpecialize Code = "E1187"
	NoThis                 Code = "E1188"
	NoWideChar             Code = "E1190"
	NotAPointer            Code = "E1191"
	NotAScope              Code = "E1192"
	NotAStruct             Code = "E1193"
	NotATemplate           Code = "E1194"
	NotAType               Code = "E1195"
	NotAValue              Code = "E1196"
	NotAnLValue            Code = "E1197"
	NotCallable            Code = "E1198"
	NotCaptured            Code = "E1199"
	NotConstant            Code = "E1200"
	NotFunctionConstant    Code = "E1201"
	PackLengths            Code = "E1202"
	PackNotLast            Code = "E1203"
	ParamSpace             Code = "E1204"
	PointerOperands        Code = "E1205"
	PointerToReference     Code = "E1206"
	Redefinition           Code = "E1207"
	RepeatedSwizzle        Code = "E1208"
	ReturnType             Code = "E1209"
	SelfReference          Code = "E1210"
	SpaceMismatch          Code = "E1211"
	StaticAssertFailed     Code = "E1212"
	StaticLocal            Code = "E1213"
	StrayBreak             Code = "E1214"
	StrayCase              Code = "E1215"
	StrayContinue          Code = "E1216"
	SwitchType             Code = "E1217"
	TemplateArgKind        Code = "E1218"
	TemplateArgType        Code = "E1219"
	TextureAccess          Code = "E1220"
	ThreadgroupInit        Code = "E1221"
	ThreadgroupLocalPlace  Code = "E1222"
	TooFewTemplateArgs     Code = "E1223"
	TooManyInits           Code = "E1224"
	TooManyTemplateArgs    Code = "E1225"
	TypeAsValue            Code = "E1226"
	UnexpandedPack         Code = "E1227"
	Unreachable            Code = "E1228"
	UnusedValue            Code = "E1229"
	VectorCondition        Code = "E1230"
	VoidObject             Code = "E1231"
	AmbiguousName          Code = "E1260"
	MissingDefault         Code = "E1261"
	BadOperator            Code = "E1262"
	DeletedFunction        Code = "E1263"
	LogFormat              Code = "E1265"
	Inaccessible           Code = "E1270"
	LocalSpecifier         Code = "E1271"
	PointerSpace           Code = "E1272"
)

// Codes of features that the checker knows but does not support.
const (
	RenderStage        Code = "U0101"
	UnsupportedBuiltin Code = "U0102"
	UnsupportedStageIn Code = "U0103"
	UnsupportedType    Code = "U0104"
)

var checkCodes = []Info{
	{UndeclaredName, "a name that is not declared"},
	{UndeclaredType, "a type that is not declared"},
	{UndeclaredNamespace, "a namespace that is not declared"},
	{AddressOfComponent, "the address of a vector's component or a bit-field is taken"},
	{AmbiguousCall, "an ambiguous call"},
	{AmbiguousFunction, "an overloaded function where a single one is needed"},
	{AmbiguousMember, "a member found in two base classes"},
	{AmbiguousPartial, "partial specializations none of which is more specialized than the others"},
	{ArgumentCount, "a call with too many or too few arguments"},
	{ArgumentSpace, "a kernel argument that points into an address space not allowed for kernels"},
	{ArgumentType, "a kernel argument of a type that cannot be bound"},
	{ArrayBound, "an array bound that is negative or too large"},
	{AsType, "as_type between types of different sizes"},
	{AssignArray, "an assignment to an array"},
	{AssignConst, "an assignment to a constant object"},
	{AtomicAccess, "an atomic used as an ordinary object"},
	{AttributeArgs, "an attribute with wrong arguments"},
	{AttributeClash, "two attributes that exclude each other"},
	{AttributeMisplaced, "an attribute that is not allowed here"},
	{AttributeType, "an attribute that does not apply to the type"},
	{AutoRecursion, "a function used before its result type is deduced"},
	{BadAlignment, "an alignment that is not a power of two"},
	{BadArray, "an array of an invalid element type, or without a length"},
	{BadAuto, "auto where no type can be deduced"},
	{BadBase, "a base that is not a struct"},
	{BadBitField, "a bit-field that does not fit its type"},
	{BadCast, "a cast between types that do not convert"},
	{BadEnum, "an enum with a wrong underlying type or value"},
	{BadField, "a member of a wrong type"},
	{BadIndex, "an index into something without elements, or of a wrong type"},
	{BadInit, "an initializer that does not fit"},
	{BadLibraryType, "invalid arguments for a library template"},
	{BadOperands, "an operator on types that it does not apply to"},
	{BadOverload, "functions that differ only in their results"},
	{BadRange, "a range-based for over something that is not a range"},
	{BadReference, "a reference to a type that cannot be referenced"},
	{BadResult, "a function that returns an array"},
	{BadSwizzle, "components that a vector does not have"},
	{BindTemporary, "a reference that would be bound to a temporary"},
	{BindingCount, "a structured binding with a wrong number of names"},
	{BraceAsValue, "a braced list where a value is expected"},
	{BypassedInit, "a case label after an initialization that the switch jumps past"},
	{CallOfKernel, "a call of an entry point"},
	{CaseRange, "an empty or huge case range"},
	{ComponentCount, "a vector or matrix made from too many or too few components"},
	{CondTypes, "operands of '?:' without a common type"},
	{Deprecated, "a use of something deprecated"},
	{DivisionByZero, "a division by the constant zero"},
	{DropsConst, "a reference or pointer that would drop qualifiers"},
	{DuplicateCase, "a case label that occurs twice"},
	{DuplicateKernel, "two entry points with the same name"},
	{EmptyFold, "a fold over an empty pack without an initial value"},
	{ExprDepth, "an expression nested too deeply"},
	{FieldSpace, "a member with an address space"},
	{FieldWithoutObject, "a member named without an object"},
	{FunctionAsValue, "a function where a value is expected"},
	{FunctionConstantInit, "a function constant with an initializer"},
	{FunctionConstantType, "a function constant that is not a scalar or vector"},
	{GlobalSpace, "a program scope variable outside the constant address space"},
	{IncompleteType, "an incomplete type"},
	{IndexClash, "two arguments or function constants with the same index"},
	{IndexLimit, "an index or a number of threads out of bounds"},
	{IndexOrder, "argument buffer members whose ids do not increase"},
	{IndexRange, "a constant index outside an array or vector"},
	{InstantiationCount, "too many template instantiations"},
	{InstantiationDepth, "template instantiations nested too deeply"},
	{KernelResult, "a kernel that returns a value"},
	{LambdaCapture, "an invalid capture"},
	{LateSpecialization, "a specialization after the first use"},
	{LocalSpace, "a local variable in an address space that does not allow them, or in constant memory and not static"},
	{ManySpaces, "a type in two address spaces"},
	{MethodWithoutObject, "a method called without an object"},
	{MissingReturn, "a function that may end without returning a value"},
	{MissingTemplateArgs, "a template named without its required arguments"},
	{Narrowing, "a narrowing conversion of a constant in braces"},
	{NeedsVersion, "a feature of a later language version"},
	{NoConstructor, "no matching constructor for the arguments"},
	{NoConversion, "a value that cannot be converted"},
	{NoDouble, "the type double"},
	{NoElvis, "'?:' without a middle operand"},
	{NoLongLong, "the type long long"},
	{NoMatchingFunction, "no matching function for the arguments"},
	{NoMember, "a member that a type does not have"},
	{NoMemberNamed, "a name that a namespace or class does not have"},
	{NoMemberPointers, "pointers to members"},
	{NoPackToExpand, "a pack expansion without a pack"},
	{NoTemplateToSpecialize, "a specialization or instantiation that no template matches"},
	{NoThis, "'this' outside a method"},
	{NoWideChar, "wide characters"},
	{NotAPointer, "'*' or '->' on something that is not a pointer"},
	{NotAScope, "'::' after something without members"},
	{NotAStruct, "'.' on a pointer"},
	{NotATemplate, "template arguments after something that is not a template"},
	{NotAType, "a name that is not a type where one is expected"},
	{NotAValue, "a namespace where a value is expected"},
	{NotAnLValue, "an object is needed, not a temporary or a function"},
	{NotCallable, "a call of something that is not a function"},
	{NotCaptured, "a local variable that a lambda does not capture"},
	{NotConstant, "a constant expression is needed"},
	{NotFunctionConstant, "a function constant is needed"},
	{PackLengths, "packs of different lengths expanded together"},
	{PackNotLast, "a parameter pack before other parameters"},
	{ParamSpace, "a parameter with an address space of its own"},
	{PointerOperands, "pointers that cannot be compared or subtracted"},
	{PointerToReference, "a pointer to a reference"},
	{Redefinition, "a name declared or defined twice"},
	{RepeatedSwizzle, "an assignment to a swizzle that repeats a component"},
	{ReturnType, "a return that does not fit the function's result"},
	{SelfReference, "a variable in its own initializer"},
	{SpaceMismatch, "a pointer or reference into another address space"},
	{StaticAssertFailed, "a static assertion that does not hold"},
	{StaticLocal, "a static local variable"},
	{StrayBreak, "break outside loops and switches"},
	{StrayCase, "a case label outside a switch"},
	{StrayContinue, "continue outside loops"},
	{SwitchType, "a switch on something that is not an integer"},
	{TemplateArgKind, "a template argument of the wrong kind"},
	{TemplateArgType, "a template argument of the wrong type"},
	{TextureAccess, "a method that the texture's access mode or texel type does not allow"},
	{ThreadgroupInit, "an initializer in threadgroup memory"},
	{ThreadgroupLocalPlace, "a variable in threadgroup memory outside a kernel"},
	{TooFewTemplateArgs, "too few template arguments"},
	{TooManyInits, "more initializers than members"},
	{TooManyTemplateArgs, "too many template arguments"},
	{TypeAsValue, "a type where a value is expected"},
	{UnexpandedPack, "a pack that is not expanded"},
	{Unreachable, "a statement that is never executed"},
	{UnusedValue, "a value that is not used"},
	{VectorCondition, "a vector as the condition of ?:"},
	{VoidObject, "an object of type void"},
	{AmbiguousName, "a name declared by several namespaces in use"},
	{Inaccessible, "a private or protected member used outside its class"},
	{MissingDefault, "a parameter without a default argument after one that has one"},
	{BadOperator, "an operator declared where, or for operands for which, it is not allowed"},
	{DeletedFunction, "a deleted function"},
	{LocalSpecifier, "inline or extern on a declaration in a block"},
	{PointerSpace, "a pointer or reference without an address space"},
	{LogFormat, "a log message whose format does not match its arguments"},
	{RenderStage, "a function of a render stage"},
	{UnsupportedBuiltin, "a library function that is not supported"},
	{UnsupportedStageIn, "[[stage_in]] arguments of kernels"},
	{UnsupportedType, "a library type that is not supported"},
}
